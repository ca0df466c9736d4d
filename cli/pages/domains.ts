import type { Domain } from '../../contract/pages/domains/domains.ts';
import { domainEndpoints } from '../../contract/pages/domains/endpoints.ts';
import { connect } from '../client/connect.ts';
import { type Call, type Command, SERVER_OPTION } from '../command.ts';
import { printable } from '../terminal/colours.ts';
import { columns } from '../terminal/columns.ts';
import { EXIT } from '../usage.ts';
import { findPageId } from './find.ts';

const list: Command = {
  name: 'pages domains list',
  usage: '<slug|id>',
  args: [1, 1],
  summary: 'list the domains of a page',
  options: SERVER_OPTION,
  async run(call) {
    const { api, id } = await open(call);
    const { domains } = await api.call(domainEndpoints.listDomains, { params: { id } });
    const rows = domains.map((one) => [
      formatDomain(one),
      one.status,
      one.is_canonical ? 'main address' : '',
    ]);
    call.out.result(
      { domains },
      rows.length === 0
        ? 'This page has no domains. Add one with quire pages domains add <slug|id> <domain>.'
        : columns(['domain', 'status', ''], rows, call.out.paint.bold),
    );
  },
};

const add: Command = {
  name: 'pages domains add',
  usage: '<slug|id> <domain>',
  args: [2, 2],
  summary: 'add a domain to a page, and print the DNS records it needs',
  options: SERVER_OPTION,
  async run(call) {
    const [page] = call.args;
    const { api, id, domain } = await open(call);
    const added = await api.call(domainEndpoints.addDomain, { params: { id }, body: { domain } });
    call.out.result(added, say(added, call));
    if (added.status === 'pending')
      call.out.note(`Then verify it with: quire pages domains verify ${page} ${printable(added.domain)}`);
  },
};

const verify: Command = {
  name: 'pages domains verify',
  usage: '<slug|id> <domain>',
  args: [2, 2],
  summary: 'look for the TXT record of a domain now',
  options: SERVER_OPTION,
  notes: 'Exits with 1 if the record was not found.',
  async run(call) {
    const { api, id, domain } = await open(call);
    const checked = await api.call(domainEndpoints.verifyDomain, { params: { id, domain } });
    call.out.result(checked, say(checked, call));
    if (checked.status !== 'verified') call.exitWith(EXIT.failed);
  },
};

const remove: Command = {
  name: 'pages domains remove',
  usage: '<slug|id> <domain>',
  args: [2, 2],
  summary: 'remove a domain from a page',
  options: SERVER_OPTION,
  async run(call) {
    const { api, id, domain } = await open(call);
    await api.call(domainEndpoints.removeDomain, { params: { id, domain } });
    call.out.done({ removed: domain }, `Removed ${domain}.`);
  },
};

export const domainsCommands = [list, add, verify, remove];

async function open(call: Call) {
  const [slugOrId = '', domain = ''] = call.args;
  const api = await connect(call);
  return { api, id: await findPageId(api, slugOrId), domain };
}

/** In ASCII first: two names can look the same. */
function formatDomain({ domain, unicode }: Domain): string {
  return printable(domain === unicode ? domain : `${domain} (${unicode})`);
}

function say(domain: Domain, { out }: Call): string {
  if (domain.status === 'verified') return `${formatDomain(domain)} is verified.`;
  const rows = domain.dns.map(({ type, name, value }) => [type, name, value]);
  return [
    `${formatDomain(domain)} is ${printable(domain.status)}. It needs these DNS records:`,
    '',
    columns(['type', 'name', 'value'], rows, out.paint.bold),
    ...(domain.problem ? ['', printable(domain.problem)] : []),
  ].join('\n');
}
