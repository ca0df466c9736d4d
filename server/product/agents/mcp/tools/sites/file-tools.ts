import { fileEndpoints } from '../../../../../../contract/pages/files/file-endpoints.ts';
import { type Definition, tool } from '../definition.ts';

const PAGE = { id: { type: 'integer', description: 'The id of the page.' } };
const FILE = { ...PAGE, path: { type: 'string', description: 'Its path, such as css/style.css.' } };
const OTHERS = 'which others may have written';

/** Tools for the files of pages. */
export const fileTools: Definition[] = [
  tool(fileEndpoints.listPageFiles, {
    name: 'list_page_files',
    title: 'List the files of a page',
    description: 'Lists the files beside the HTML of a page, with path, size, type and hash.',
    effect: 'read',
    source: `names of files, ${OTHERS}`,
    input: PAGE,
  }),
  tool(fileEndpoints.readPageFile, {
    name: 'read_page_file',
    title: 'Read a file of a page',
    description: 'Returns a file of a page: text as content, anything else as content_base64.',
    effect: 'read',
    source: `a file of a page, ${OTHERS}`,
    bytesResult: true,
    input: FILE,
  }),
  tool(fileEndpoints.writePageFile, {
    name: 'write_page_file',
    title: 'Write a file of a page',
    description:
      'Adds a file to a page, or replaces it, as a new version. Send text as content, other bytes as content_base64, at most 25 MB. The page and other files use it by its relative path.',
    effect: 'write',
    source: 'what Quire noticed in a page, which can quote the page',
    bytesBody: { text: 'content', base64: 'content_base64' },
    input: {
      ...FILE,
      content: { type: 'string', description: 'The text of the file.' },
      content_base64: { type: 'string', description: 'Its bytes in base64, if it is not text.' },
    },
  }),
  tool(fileEndpoints.deletePageFile, {
    name: 'delete_page_file',
    title: 'Delete a file of a page',
    description: 'Deletes a file of a page, as a new version. Earlier versions keep it.',
    effect: 'destructive',
    input: FILE,
  }),
];
