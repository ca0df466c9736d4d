import { readFileSync } from 'node:fs';
import { gt, maxSatisfying, Range, valid, validRange } from 'semver';
import { z } from 'zod';
import { PackageError } from './package-error.ts';
import { readVersionList, VersionListError } from './version-list.ts';

/** What the registry says about one version of a package. */
export interface Manifest {
  name: string;
  version: string;
  tarball: string;
  integrity: string;
  /** The ranges of dependencies, by name. */
  dependencies: Record<string, string>;
  /** The ranges of dependencies that the package can do without, by name. */
  optional: Record<string, string>;
  peers: Record<string, string>;
  /** The ranges of packages that it uses if they are there. */
  optionalPeers: Record<string, string>;
  /** True if the package is for one system or processor, so it is not code for workers. */
  isNative: boolean;
}

const MAX_DEPENDENCIES = 500;
const ranges = z.record(z.string().max(214), z.string().max(500)).optional().catch(undefined);
const Version = z.object({
  dist: z.object({ tarball: z.string().max(2_000), integrity: z.string().max(1_000).optional() }),
  dependencies: ranges,
  optionalDependencies: ranges,
  peerDependencies: ranges,
  os: z.unknown().optional(),
  cpu: z.unknown().optional(),
  peerDependenciesMeta: z
    .record(z.string(), z.object({ optional: z.boolean().optional() }))
    .optional()
    .catch(undefined),
});

/** Finds the newest version in a range, or the one with a tag, in the list of a file. */
export function pickVersion(name: string, file: string, range: string): Manifest {
  try {
    const { versions, tags, best } = readList(file, range);
    const version = chooseVersion(versions, tags, range);
    if (version === undefined) throw new PackageError(noVersion(name, range, tags.latest));
    const json = best?.version === version ? best.json : readEntry(file, version);
    return toManifest(name, version, JSON.parse(json));
  } catch (error) {
    if (!(error instanceof VersionListError) && !(error instanceof SyntaxError)) throw error;
    throw new PackageError(`The registry's list of the versions of ${name} is not valid.`, true);
  }
}

/** Reads a document about one version. Undefined if it is about something else. */
export function readVersion(name: string, file: string, version: string): Manifest | undefined {
  const About = z.object({ name: z.literal(name), version: z.string() });
  try {
    const document: unknown = JSON.parse(readFileSync(file, 'utf8'));
    const about = About.parse(document);
    const isRight = version === about.version || (version === 'latest' && valid(about.version) !== null);
    return isRight ? toManifest(name, about.version, document) : undefined;
  } catch (error) {
    if (error instanceof PackageError) throw error;
    return undefined;
  }
}

interface VersionList {
  versions: string[];
  tags: Record<string, string>;
  /** The newest version in the range, with its entry. */
  best: { version: string; json: string } | undefined;
}

function readList(file: string, range: string): VersionList {
  const list: VersionList = { versions: [], tags: {}, best: undefined };
  const wanted = validRange(range) === null ? undefined : new Range(range);
  const tags = new Map<string, string>();
  readVersionList(file, {
    onVersion(version, json) {
      list.versions.push(version);
      if (valid(version) === null || !wanted?.test(version)) return;
      if (!list.best || gt(version, list.best.version)) list.best = { version, json: json() };
    },
    onTag(tag, json) {
      const version: unknown = JSON.parse(json());
      if (typeof version === 'string') tags.set(tag, version);
    },
  });
  return { ...list, tags: Object.fromEntries(tags) };
}

function readEntry(file: string, wanted: string): string {
  let found = '';
  readVersionList(file, {
    onVersion(version, json) {
      if (version === wanted) found = json();
    },
    onTag: () => undefined,
  });
  return found;
}

function toManifest(name: string, version: string, entry: unknown): Manifest {
  const parsed = Version.safeParse(entry);
  if (!parsed.success) throw new PackageError(`The registry's entry of ${name}@${version} is not valid.`);
  const { dist, dependencies = {}, optionalDependencies = {}, peerDependencies = {} } = parsed.data;
  if (!/(^|\s)sha512-/.test(dist.integrity ?? ''))
    throw new PackageError(
      `The registry has no SHA-512 integrity hash of ${name}@${version}, so its files cannot be checked. Use a newer version.`,
    );
  const peersMeta = parsed.data.peerDependenciesMeta ?? {};
  const without = (all: Record<string, string>, isLeftOut: (key: string) => boolean) =>
    Object.fromEntries(
      Object.entries(all)
        .filter(([key]) => !isLeftOut(key))
        .slice(0, MAX_DEPENDENCIES),
    );
  return {
    ...{ name, version, tarball: dist.tarball, integrity: dist.integrity ?? '' },
    isNative: parsed.data.os !== undefined || parsed.data.cpu !== undefined,
    optional: without(optionalDependencies, () => false),
    dependencies: without(dependencies, (key) => Object.hasOwn(optionalDependencies, key)),
    peers: without(peerDependencies, (key) => peersMeta[key]?.optional === true),
    optionalPeers: without(peerDependencies, (key) => peersMeta[key]?.optional !== true),
  };
}

function chooseVersion(versions: string[], tags: Record<string, string>, range: string): string | undefined {
  const tagged = Object.hasOwn(tags, range) ? tags[range] : undefined;
  if (tagged !== undefined) return versions.includes(tagged) && valid(tagged) ? tagged : undefined;
  if (validRange(range) === null) return undefined;
  // As npm does: what the author calls the latest is preferred to what is merely newer.
  const { latest } = tags;
  const sound = versions.filter((version) => valid(version) !== null);
  if (latest !== undefined && sound.includes(latest) && maxSatisfying([latest], range) === latest)
    return latest;
  return maxSatisfying(sound, range) ?? undefined;
}

function noVersion(name: string, range: string, latest: string | undefined): string {
  const hint = latest === undefined ? '' : ` The latest is ${latest.slice(0, 50)}.`;
  return `The package ${name} has no version ${range.slice(0, 100)}.${hint}`;
}
