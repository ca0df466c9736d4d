import { existsSync } from 'node:fs';
import { join } from 'node:path';
import packageJson from '../../package.json' with { type: 'json' };
import { nameAt, type Package, readPackages } from '../dependencies/lock-file.ts';

/** The packages whose code is in the archive. Those for other machines are in the lock file, but not installed. */
export async function readShipped(root: string): Promise<Package[]> {
  const { all } = await readPackages(root);
  return all.filter(({ path, isForTests }) => !isForTests && existsSync(join(root, path)));
}

/** What the archive is made of, in the JSON of CycloneDX 1.6. The same packages give the same bytes. */
export async function describeMaterials(root: string): Promise<string> {
  const shipped = await readShipped(root);
  const present = new Set(shipped.map(({ path }) => path));
  const quire = { type: 'application', 'bom-ref': 'quire', name: 'quire', version: packageJson.version };
  const direct = Object.keys({ ...packageJson.dependencies, ...packageJson.optionalDependencies }).map(
    (name) => `node_modules/${name}`,
  );
  const depends = (ref: string, uses: string[]) => ({
    ref,
    dependsOn: uses.filter((path) => present.has(path)),
  });
  const bill = {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: { component: { ...quire, licenses: [{ license: { id: packageJson.license } }] } },
    components: shipped.map(describe),
    dependencies: [depends('quire', direct), ...shipped.map(({ path, uses }) => depends(path, uses))],
  };
  return `${JSON.stringify(bill, undefined, 2)}\n`;
}

function describe({ path, version, license, integrity }: Package) {
  const [, group, name] = /^(?:(@[^/]+)\/)?(.+)$/.exec(nameAt(path)) ?? [];
  const [, sum] = /^sha512-(.+)$/.exec(integrity ?? '') ?? [];
  return {
    type: 'library',
    'bom-ref': path,
    ...(group && { group }),
    name,
    version,
    purl: `pkg:npm/${group ? `${encodeURIComponent(group)}/` : ''}${name}@${version}`,
    ...(license !== 'unknown' && { licenses: [{ expression: license }] }),
    ...(sum && { hashes: [{ alg: 'SHA-512', content: Buffer.from(sum, 'base64').toString('hex') }] }),
  };
}
