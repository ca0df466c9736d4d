import { importEndpoints } from '../../../../../../contract/imports/endpoints.ts';
import { type Definition, tool } from '../definition.ts';

/** The tool that imports what was made elsewhere. */
export const importTools: Definition[] = [
  tool(importEndpoints.importAddress, {
    name: 'import_site',
    title: 'Import a site',
    description:
      'Imports what is at an address: a page, an archive (.zip, .tar.gz), or a repository with a built site, a React component, a Worker or a Val Town project. First call it without digest: it publishes nothing and returns what would be taken and what would be left, and why. Show that to your user. Then call it with the digest to publish exactly that. A Worker or val also needs functions:write.',
    effect: 'write',
    slow: 'Importing',
    reachesOut: true,
    source: 'names of files at an address, which others may have written',
  }),
];
