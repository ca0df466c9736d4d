import { createHash } from 'node:crypto';
import { type TarItem, tarball } from '../tar.ts';

/** A version of a package. */
export interface PackageVersion {
  name: string;
  version?: string;
  /** By path; `package.json` is added. */
  files?: Record<string, string>;
  /** Fields of `package.json`. */
  about?: Record<string, unknown>;
  dependencies?: Record<string, string>;
  peerDependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
  /** Fields of the registry's entry. */
  entry?: Record<string, unknown>;
  /** What is sent instead of an honest archive. */
  archive?: Uint8Array | TarItem[];
  /** What the registry says of it, if it is not true. */
  integrity?: string;
  tarballUrl?: string;
}

/** A small npm registry: lists of versions and packages that are made in the test. */
export interface NpmRegistry {
  url: string;
  /** The paths that were asked for. */
  requests: string[];
  /** Adds versions. The last one of a name is its `latest`. */
  add(...versions: PackageVersion[]): void;
  /** Responds to a path in its own way; `/name` for a list of versions. */
  answer(path: string, respond: (request: Request) => Response | Promise<Response>): void;
  stop(): Promise<void>;
}

export function startNpmRegistry(): NpmRegistry {
  const lists = new Map<string, { versions: Record<string, unknown>; 'dist-tags': Record<string, string> }>();
  const archives = new Map<string, Uint8Array<ArrayBuffer>>();
  const answers = new Map<string, (request: Request) => Response | Promise<Response>>();
  const requests: string[] = [];
  /** The document of `name/version`, also for a tag. */
  const findVersion = (path: string) => {
    const at = path.lastIndexOf('/');
    const list = lists.get(path.slice(0, at));
    const wanted = path.slice(at + 1);
    return list?.versions[list['dist-tags'][wanted] ?? wanted];
  };
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch(request) {
      const path = decodeURIComponent(new URL(request.url).pathname);
      requests.push(path);
      const own = answers.get(path) ?? answers.get(`${path.slice(0, path.lastIndexOf('-'))}-*`);
      if (own) return own(request);
      const archive = archives.get(path);
      if (archive) return new Response(archive);
      const version = findVersion(path.slice(1));
      if (version) return Response.json(version);
      const list = lists.get(path.slice(1));
      return list ? Response.json(list) : Response.json({ error: 'Not found' }, { status: 404 });
    },
  });
  const url = `http://127.0.0.1:${server.port}`;
  return {
    url,
    requests,
    add(...versions) {
      for (const one of versions) {
        const { name, version = '1.0.0' } = one;
        const archive = makeArchive(one);
        const path = `/${name}/-/${version}.tgz`;
        archives.set(path, archive);
        const list = lists.get(name) ?? { versions: {}, 'dist-tags': {} };
        const integrity = one.integrity ?? makeIntegrity(archive);
        list.versions[version] = {
          ...{ name, version },
          ...(one.dependencies && { dependencies: one.dependencies }),
          ...(one.peerDependencies && { peerDependencies: one.peerDependencies }),
          ...(one.optionalDependencies && { optionalDependencies: one.optionalDependencies }),
          ...one.entry,
          dist: { tarball: one.tarballUrl ?? `${url}${path}`, integrity },
        };
        list['dist-tags'].latest = version;
        lists.set(name, list);
      }
    },
    answer: (path, respond) => void answers.set(path, respond),
    stop: () => server.stop(true),
  };
}

export const makeIntegrity = (bytes: Uint8Array) =>
  `sha512-${createHash('sha512').update(bytes).digest('base64')}`;

function makeArchive({ name, version = '1.0.0', files = {}, about = {}, archive }: PackageVersion) {
  if (archive instanceof Uint8Array) return new Uint8Array(archive);
  const description = { name, version, type: 'module', main: 'index.js', ...about };
  const all = { 'package.json': JSON.stringify(description), ...files };
  const items = Object.entries(all).map(([path, content]) => ({ path: `package/${path}`, content }));
  return new Uint8Array(tarball(archive ?? items));
}
