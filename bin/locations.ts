import { dirname, join, relative } from 'node:path';
import { ROOT } from './launch.ts';

/** What our modules refer to by their own location: paths from the root of the project. */
export interface References {
  /** Modules that run in their own thread or process. */
  helpers: Set<string>;
  /** Files and folders that are read at run time. */
  files: Set<string>;
}

interface Locations {
  /** An expression for the folder that stands for the root of the project when the code runs. */
  root: string;
  /** Collects what the modules refer to. The helpers are then JavaScript too. */
  references?: References;
}

/** Our modules find files by their own location, which is not that of a bundle. */
export function keepLocations({ root, references }: Locations): Bun.BunPlugin {
  return {
    name: 'keep locations',
    setup(build) {
      build.onLoad({ filter: /\.ts$/ }, async ({ path }) => {
        const [file, folder] = [relative(ROOT, path), relative(ROOT, dirname(path))];
        const at = (place: string) => `(${root} + ${JSON.stringify(`/${place}`)})`;
        let text = await Bun.file(path).text();
        if (references) text = collect(text, folder, references);
        const contents = text.replace(/import\.meta\.(dir|url)\b/g, (_, kind) =>
          kind === 'dir' ? at(folder) : `Bun.pathToFileURL(${at(file)}).href`,
        );
        return { loader: 'ts', contents };
      });
    },
  };
}

function collect(text: string, folder: string, { helpers, files }: References): string {
  for (const [, path = ''] of text.matchAll(/join\(import\.meta\.dir, '([^']+)'/g))
    files.add(join(folder, path));
  return text.replace(/new URL\('(\.[^']+)\.ts', import\.meta\.url\)/g, (_, path) => {
    helpers.add(join(folder, `${path}.ts`));
    return `new URL('${path}.js', import.meta.url)`;
  });
}
