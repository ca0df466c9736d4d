/** A route's target, with the values of its parameters. */
export interface Match<Target> {
  target: Target;
  params: Record<string, string>;
}

interface RouteEntry<Target> {
  target: Target;
  /** The names of the parameters in the path, from left to right. */
  names: string[];
}

/** A point in the paths: what follows it, and the targets of paths that end here, by method. */
class Node<Target> {
  readonly fixed = new Map<string, Node<Target>>();
  parameter: Node<Target> | undefined;
  /** Targets of paths whose last parameter is everything from here on. */
  readonly rests = new Map<string, RouteEntry<Target>>();
  readonly entries = new Map<string, RouteEntry<Target>>();
}

/**
 * Finds the target of a method and path. A segment of a path is fixed or, if it starts with a colon, a parameter, which
 * is never empty. A fixed segment is preferred. A last segment that starts with a star is a parameter for all that
 * follows, slashes included.
 */
export class Router<Target> {
  private readonly root = new Node<Target>();

  /** Adds a target. If there already is one for this method and path, that one stays. */
  add(method: string, path: string, target: Target): void {
    const names: string[] = [];
    let node = this.root;
    for (const segment of path.split('/').slice(1)) {
      if (segment.startsWith('*')) {
        names.push(segment.slice(1));
        if (!node.rests.has(method)) node.rests.set(method, { target, names });
        return;
      }
      if (segment.startsWith(':')) {
        names.push(segment.slice(1));
        node.parameter ??= new Node();
        node = node.parameter;
      } else {
        const next = node.fixed.get(segment) ?? new Node<Target>();
        node.fixed.set(segment, next);
        node = next;
      }
    }
    if (!node.entries.has(method)) node.entries.set(method, { target, names });
  }

  /** Finds a target. The path may have escaped characters. */
  find(method: string, path: string): Match<Target> | undefined {
    const segments = path.split('/');
    if (path.includes('%'))
      for (const [at, segment] of segments.entries()) segments[at] = decodeLeniently(segment);
    const values: string[] = [];
    const entry = search(this.root, method, segments, 1, values);
    if (!entry) return undefined;
    const params: Record<string, string> = {};
    for (let at = 0; at < values.length; at++) params[entry.names[at] as string] = values[at] as string;
    return { target: entry.target, params };
  }
}

function search<Target>(
  node: Node<Target>,
  method: string,
  segments: string[],
  at: number,
  values: string[],
): RouteEntry<Target> | undefined {
  if (at === segments.length) return node.entries.get(method);
  const segment = segments[at] as string;
  const fixed = node.fixed.get(segment);
  const found = fixed && search(fixed, method, segments, at + 1, values);
  if (found) return found;
  if (node.parameter && segment !== '') {
    values.push(segment);
    const entry = search(node.parameter, method, segments, at + 1, values);
    if (entry) return entry;
    values.pop();
  }
  const rest = node.rests.get(method);
  if (!rest || (segment === '' && at === segments.length - 1)) return undefined;
  values.push(segments.slice(at).join('/'));
  return rest;
}

/** Decodes what can be decoded, and leaves the rest as it is. */
function decodeLeniently(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment.replace(/(?:%[0-9A-Fa-f]{2})+/g, (escaped) => {
      try {
        return decodeURIComponent(escaped);
      } catch {
        return escaped;
      }
    });
  }
}
