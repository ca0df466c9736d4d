import { teamEndpoints } from '../../contract/teams/endpoints.ts';
import type { NewInvite, RoleBody } from '../../contract/teams/teams.ts';
import type { Api } from '../client/api.ts';
import { connect } from '../client/connect.ts';
import { type Call, type Command, SERVER_OPTION, wholeNumber } from '../command.ts';
import { printable } from '../terminal/colours.ts';
import { columns } from '../terminal/columns.ts';
import { CommandError, EXIT } from '../usage.ts';

const PAGE = '<slug|id>';
const ROLES = 'admin, member or viewer';
const formatDay = (iso: string) => iso.slice(0, 10);

const list: Command = {
  name: 'pages team list',
  usage: PAGE,
  args: [1, 1],
  summary: 'list the members of the team of a page',
  options: SERVER_OPTION,
  async run(call) {
    const { api, params } = await open(call);
    const found = await api.call(teamEndpoints.listMembers, { params });
    const rows = found.members.map((member) => [
      member.user.username,
      member.role,
      formatDay(member.joinedAt),
      member.user.id,
    ]);
    call.out.result(found, columns(['user', 'role', 'joined', 'id'], rows, call.out.paint.bold));
  },
};

const invite: Command = {
  name: 'pages team invite',
  usage: PAGE,
  args: [1, 1],
  summary: 'create a link to join the team of a page, and print it once',
  options: {
    role: { type: 'string', value: 'role', summary: `${ROLES}; default: member` },
    days: { type: 'string', value: 'n', summary: 'how long it works, 1 to 365; default: 7' },
    uses: { type: 'string', value: 'n', summary: 'how many people can join with it; default: no limit' },
    email: {
      type: 'string',
      value: 'address',
      summary: 'also send the link to this address; then one person can join, unless --uses says otherwise',
    },
    ...SERVER_OPTION,
  },
  async run(call) {
    const email = call.text('email');
    // JSON has no field for what is undefined. The server checks the role.
    const body = {
      role: call.text('role') as NewInvite['role'],
      expiresInDays: wholeNumber(call, 'days'),
      maxUses: wholeNumber(call, 'uses'),
    };
    const { api, params } = await open(call);
    const mailed =
      email === undefined
        ? undefined
        : await api.call(teamEndpoints.sendInvite, { params, body: { ...body, email } });
    const made = mailed ?? (await api.call(teamEndpoints.createInvite, { params, body }));
    call.out.result(made, printable(made.inviteUrl));
    call.out.note(
      printable(
        `It invites people as ${made.role} until ${formatDay(made.expiresAt)}. It is not shown again.`,
      ),
    );
    if (mailed?.isMailed) call.out.note(printable(`It is on its way to ${mailed.email}.`));
    if (mailed?.isMailed === false)
      call.out.note('It was not sent, because there was too much mail today. Send the link yourself.');
  },
};

const invites: Command = {
  name: 'pages team invites',
  usage: PAGE,
  args: [1, 1],
  summary: 'list the open invites to the team of a page, without their links',
  options: SERVER_OPTION,
  async run(call) {
    const { api, params } = await open(call);
    const { invites: listed } = await api.call(teamEndpoints.listInvites, { params });
    const rows = listed.map((one) => [
      one.id,
      one.role,
      one.maxUses === null ? one.uses : `${one.uses} of ${one.maxUses}`,
      formatDay(one.expiresAt),
      one.createdBy?.username,
      one.email,
    ]);
    const headings = ['id', 'role', 'used', 'expires', 'by', 'sent to'];
    const none = `There are no open invites. Create one with quire pages team invite ${PAGE}.`;
    call.out.result(
      { invites: listed },
      rows.length === 0 ? none : columns(headings, rows, call.out.paint.bold),
    );
  },
};

const revoke: Command = {
  name: 'pages team revoke',
  usage: `${PAGE} <invite>`,
  args: [2, 2],
  summary: 'revoke an invite; people who have joined with it stay',
  options: SERVER_OPTION,
  async run(call) {
    const [, inviteId = ''] = call.args;
    const { api, params } = await open(call);
    await api.call(teamEndpoints.deleteInvite, { params: { ...params, inviteId } });
    call.out.done({ revoked: inviteId }, printable(`Revoked the invite ${inviteId}.`));
  },
};

const setRole: Command = {
  name: 'pages team role',
  usage: `${PAGE} <username> <role>`,
  args: [3, 3],
  summary: `change the role of a member: ${ROLES}`,
  options: SERVER_OPTION,
  async run(call) {
    const [, username = '', wanted = ''] = call.args;
    const { api, params } = await open(call);
    const userId = await findMember(api, params, username);
    // The server checks the role.
    const body = { role: wanted as RoleBody['role'] };
    await api.call(teamEndpoints.updateMember, { params: { ...params, userId }, body });
    call.out.done({ username, role: wanted }, printable(`${username} is now ${wanted}.`));
  },
};

const remove: Command = {
  name: 'pages team remove',
  usage: `${PAGE} <username>`,
  args: [2, 2],
  summary: 'remove a member from the team of a page; their records and files stay',
  options: SERVER_OPTION,
  async run(call) {
    const [, username = ''] = call.args;
    const { api, params } = await open(call);
    const userId = await findMember(api, params, username);
    await api.call(teamEndpoints.removeMember, { params: { ...params, userId } });
    call.out.done({ removed: username }, printable(`Removed ${username} from the team.`));
  },
};

export const teamCommands = [list, invite, invites, revoke, setRole, remove];

async function open(call: Call) {
  const [id = ''] = call.args;
  return { api: await connect(call), params: { id } };
}

/** The id of a member. Usernames are unique without regard to capitals. */
async function findMember(api: Api, params: { id: string }, username: string): Promise<number> {
  const { members } = await api.call(teamEndpoints.listMembers, { params });
  const found = members.find(({ user }) => user.username.toLowerCase() === username.toLowerCase());
  if (found) return found.user.id;
  throw new CommandError(
    `${username} is not in this team. List its members with quire pages team list.`,
    EXIT.notFound,
  );
}
