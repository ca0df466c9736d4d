import type { PageAttack } from '../../../contract/attack/attack.ts';
import { attackEndpoints } from '../../../contract/attack/endpoints.ts';
import { branchEndpoints } from '../../../contract/pages/branches/branch-endpoints.ts';
import { connect } from '../../client/connect.ts';
import { type Command, SERVER_OPTION } from '../../command.ts';
import { printable } from '../../terminal/colours.ts';
import { EXIT } from '../../usage.ts';
import { findPageId } from '../find.ts';

export const pagesAttack: Command = {
  name: 'pages attack',
  usage: '<slug|id>',
  args: [1, 1],
  summary: 'try on a copy with invented data what strangers must not do, and print what they could',
  options: {
    ...SERVER_OPTION,
    branch: { type: 'string', value: 'name', summary: 'attack this branch of the page instead' },
    last: { type: 'boolean', summary: 'print what the last attack has found, without another one' },
  },
  notes: 'Exits with 1 if something serious was found that is not meant so.',
  async run(call) {
    const api = await connect(call);
    const [slugOrId = ''] = call.args;
    const id = await findPageId(api, slugOrId);
    const name = call.text('branch');
    const branch = name && (await api.call(branchEndpoints.getBranch, { params: { id, name } }));
    const params = { id: branch ? branch.page.id : id };
    const report = call.flag('last')
      ? (await api.call(attackEndpoints.readAttack, { params })).attack
      : await api.call(attackEndpoints.attackPage, { params });
    if (!report) return call.out.result({ attack: null }, 'This page was never attacked.');
    call.out.result(report, say(report));
    if (report.findings.some(({ severity, meant }) => severity === 'high' && !meant))
      call.exitWith(EXIT.failed);
  },
};

function say({ findings, left, version, at }: PageAttack): string {
  const found = findings.map(
    ({ severity, meant, title, fix, request, response }) =>
      `${meant ? 'meant so' : severity}: ${title}\n  ${fix}\n  ${request}\n  -> ${response}`,
  );
  const none = 'Nothing was found. That does not prove that there is nothing.';
  const about = `version ${version}, attacked ${at.slice(0, 16).replace('T', ' ')} UTC`;
  const lines = [
    about,
    ...(found.length > 0 ? found : [none]),
    ...left.map((reason) => `not tried: ${reason}`),
  ];
  return lines.map((line) => line.split('\n').map(printable).join('\n')).join('\n');
}
