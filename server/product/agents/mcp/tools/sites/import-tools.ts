import { importEndpoints } from '../../../../../../contract/imports/endpoints.ts';
import { type Definition, tool } from '../definition.ts';

/** The tool that imports what was made elsewhere. */
export const importTools: Definition[] = [
  tool(importEndpoints.importAddress, {
    group: 'sites',
    name: 'import_site',
    title: 'Import a site',
    description:
      'Imports a page, an archive (.zip, .tar.gz) or a repository from an address: a site, React component, Worker or Val Town project. Without digest, returns what would be taken and left: show that to your user, then call it with the digest. A Worker or val also needs functions:write.',
    effect: 'write',
    slow: 'Importing',
    reachesOut: true,
    source: 'names of files at an address, which others may have written',
    input: { url: '', digest: '', title: '', slug: '', state: '' },
  }),
];
