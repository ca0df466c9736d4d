/** The documentation that agents can read as resources: name, title and description. */
export const DOCUMENTS: Record<string, { title: string; about: string; path: string; type: string }> = {
  'llms.txt': {
    title: 'How to use Quire',
    about: 'Everything an agent needs to publish a page with a function and a database. Read this first.',
    path: '/llms.txt',
    type: 'text/markdown',
  },
  'openapi.json': {
    title: 'The API',
    about: 'Every endpoint of the API, as OpenAPI.',
    path: '/api/openapi.json',
    type: 'application/json',
  },
  ...guide(
    'quick-start',
    'Quick start',
    'An account, a page, and a function with a database in ten minutes.',
  ),
  ...guide('pages', 'Pages', 'Publish a page; addresses, versions, drafts, forks, globals for its scripts.'),
  ...guide('builder', 'Builder', 'Describe a page in words: what the builder does, costs and may do.'),
  ...guide('analytics', 'Analytics', 'Views, visitors, referrers and browser errors of a page.'),
  ...guide('forms', 'Forms', 'Messages from visitors: forms, files, limits, the inbox.'),
  ...guide('domains', 'Domains', 'Show a page at a domain of its owner: DNS records, certificates.'),
  ...guide('functions', 'Functions', 'Deploy and call code on the server; secrets, logs, limits.'),
  ...guide(
    'live',
    'Live',
    'Channels between the visitors of a page: messages, presence, functions that send.',
  ),
  ...guide('applications', 'Applications', 'How a poll, a board and a digest are made.'),
  ...guide('branches', 'Branches', 'Try changes on a copy of a page with its functions and data.'),
  ...guide('history', 'History', 'Move a page with its functions, records and databases back to a moment.'),
  ...guide('databases', 'Databases', 'SQL databases for functions: queries, sharing, export and import.'),
  ...guide('data', 'Data', 'Records for each visitor, for a team or for everyone, with live changes.'),
  ...guide('features', 'Features', 'Chat and images for the visitors of a page.'),
  ...guide('agents', 'Agents', 'This server for agents: tools, tokens and agent specs.'),
  ...guide('command-line', 'Command line', 'Publish and manage everything from a shell.'),
};

function guide(name: string, title: string, about: string) {
  return { [name]: { title, about, path: `/docs/${name}.md`, type: 'text/markdown' } };
}
