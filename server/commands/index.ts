import type { Command } from '../../cli/command.ts';
import { withEnvFile } from './env-file.ts';

/** Commands for operators. They load the server's code only when they run, because other commands do not need it. */

const ON_THE_DATA =
  'Uses the data directly. Run it with the same settings and in the same folder as the server, which can be running.';

/** Loads the function that tells expected errors of the server from bugs. */
export const loadExpected = async () => (await import('./expected.ts')).isExpected;

const COMMANDS: Command[] = [
  {
    name: 'serve',
    usage: '',
    args: [0, 0],
    summary: 'run the server',
    run: async ({ environment }) => (await import('./serve.ts')).serve(environment),
  },
  {
    name: 'doctor',
    usage: '',
    args: [0, 0],
    summary: 'check whether this machine has what the server needs',
    notes: 'Uses the same settings as the server. Exits with 1 if a check fails.',
    run: async (call) => (await import('./doctor.ts')).doctor(call),
  },
  {
    name: 'backup',
    usage: '[file]',
    args: [0, 1],
    summary: 'back up everything to one archive',
    notes: `${ON_THE_DATA} With QUIRE_BACKUP_KEY, the archive is encrypted.`,
    run: async (call) => (await import('./archive/backup.ts')).backup(call),
  },
  {
    name: 'restore',
    usage: '[file]',
    args: [0, 1],
    summary: 'restore an archive or a replica into an empty data folder, or prove that it can be',
    options: {
      from: {
        type: 'string',
        value: 'url',
        summary: 'restore a replica instead: file:///folder or s3://bucket/prefix',
      },
      at: {
        type: 'string',
        value: 'time',
        summary: 'with --from: the state at this time; default: the newest',
      },
      check: { type: 'boolean', summary: 'only check whether the archive, or the replica, is complete' },
      drill: {
        type: 'boolean',
        summary: 'prove the newest backup of the server, or <file>, in a folder that is removed again',
      },
      identity: { type: 'string', value: 'file', summary: 'the secret key of an encrypted archive' },
      move: {
        type: 'boolean',
        summary: 'restore what was in PostgreSQL or a bucket into the data folder',
      },
    },
    notes:
      'Uses the same settings as the server. The data folder and the database must be empty. With --check and --drill, nothing changes, and the server can be running.',
    run: async (call) => (await import('./archive/restore.ts')).restore(call),
  },
  {
    name: 'secrets rotate',
    usage: '',
    args: [0, 0],
    summary: 'encrypt everything with a new key, while the server runs',
    notes:
      'QUIRE_SECRET is the new key, QUIRE_SECRET_OLD the old one, here and at every server. If it is ended, run it again: it goes on.',
    run: async (call) => (await import('./rotate-secrets.ts')).rotateSecrets(call),
  },
  {
    name: 'replica status',
    usage: '',
    args: [0, 0],
    summary: 'show how old the replica of this server is, and which times it has',
    notes: 'Uses the same settings as the server. Exits with 1 if the replica is behind.',
    run: async (call) => (await import('./replica/status.ts')).replicaStatus(call),
  },
  {
    name: 'migrate-to-cluster',
    usage: '<folder>',
    args: [1, 1],
    summary: 'move a single-machine installation into a cluster',
    options: {
      'database-url': {
        type: 'string',
        value: 'url',
        summary: 'the PostgreSQL of the old installation, if it has one',
      },
    },
    notes:
      '<folder> is the data folder of the old installation. Stop its server first. The settings must be those of a node of the new cluster, whose database, bucket and data folder must be empty. At the end, both are compared. The old installation does not change.',
    run: async (call) => (await import('./archive/migrate-to-cluster.ts')).migrateToCluster(call),
  },
  {
    name: 'cluster reshard',
    usage: '<shards>',
    args: [1, 1],
    summary: 'change the number of shards of a cluster, while its nodes run',
    notes:
      'Moves the databases of functions, one at a time: calls that write wait for a moment. Run it beside a running node, with its settings. If it is ended, run it again: it goes on. Afterwards, set QUIRE_CLUSTER_SHARDS on every node and restart one node at a time.',
    run: async (call) => (await import('./cluster/reshard.ts')).reshard(call),
  },
  {
    name: 'cluster token',
    usage: '',
    args: [0, 0],
    summary: 'make a token with which one machine joins this cluster',
    notes:
      'Uses the settings of a node, and gives them to whoever has the token: once, and for an hour. Send it on a way that nobody else reads.',
    run: async (call) => (await import('./cluster/token.ts')).makeToken(call),
  },
  {
    name: 'migrate',
    usage: '',
    args: [0, 0],
    summary: 'bring the database up to date without starting the server',
    notes:
      'The server does the same when it starts. Uses the same settings as the server, which must not be running.',
    run: async (call) => (await import('./migrate.ts')).migrate(call),
  },
  {
    name: 'upgrade',
    usage: '<archive>',
    args: [0, 1],
    summary: 'install a newer version from an archive, or go back',
    options: {
      back: { type: 'boolean', summary: 'return to the version before the last upgrade' },
      restore: { type: 'boolean', summary: 'with --back: return to the data before the upgrade, too' },
      'no-backup': { type: 'boolean', summary: 'do not back up the data first' },
      'dry-run': {
        type: 'boolean',
        summary: 'only check the archive and the machine, and say what would be done',
      },
      yes: { type: 'boolean', summary: 'confirm that --restore replaces the data' },
    },
    notes:
      'Checks the archive, backs up the data to upgrades/ in the data folder, migrates the database with the new version and then switches to it. Until then, the installed version stays in use. Uses the same settings as the server, which must not be running.',
    run: async (call) => (await import('./upgrade/upgrade.ts')).upgrade(call),
  },
  {
    name: 'mail test',
    usage: '<address>',
    args: [1, 1],
    summary: 'send a test mail, and show what the mail server answers',
    notes: 'Uses the same settings as the server, which does not need to run.',
    run: async (call) => (await import('./mail.ts')).testMail(call),
  },
  {
    name: 'user list',
    usage: '',
    args: [0, 0],
    summary: 'list the users of this server',
    notes: ON_THE_DATA,
    run: async (call) => (await import('./user.ts')).listUsers(call),
  },
  {
    name: 'user create',
    usage: '<username> --email <address>',
    args: [1, 1],
    summary: 'create an account, even if registration is closed',
    options: {
      email: { type: 'string', value: 'address', summary: 'the email address; must be unique' },
      admin: { type: 'boolean', summary: 'make the user an administrator' },
    },
    notes: `Asks for the password, or reads it from standard input. ${ON_THE_DATA}`,
    run: async (call) => (await import('./user.ts')).createUser(call),
  },
  {
    name: 'user password',
    usage: '<username>',
    args: [1, 1],
    summary: 'set a new password for a user, and log them out everywhere',
    notes: `Asks for the password, or reads it from standard input. ${ON_THE_DATA}`,
    run: async (call) => (await import('./user.ts')).resetPassword(call),
  },
  {
    name: 'user reset',
    usage: '<username>',
    args: [1, 1],
    summary: 'make a link that lets a user set a new password',
    notes: `The link works once, for one day. The old password works until then. ${ON_THE_DATA}`,
    run: async (call) => (await import('./user.ts')).makeResetLink(call),
  },
  {
    name: 'user promote',
    usage: '<username>',
    args: [1, 1],
    summary: 'make a user an administrator',
    notes: ON_THE_DATA,
    run: async (call) => (await import('./user.ts')).promoteUser(call),
  },
  {
    name: 'user demote',
    usage: '<username>',
    args: [1, 1],
    summary: 'remove administrator rights from a user',
    notes: ON_THE_DATA,
    run: async (call) => (await import('./user.ts')).demoteUser(call),
  },
  {
    name: 'invite create',
    usage: '',
    args: [0, 0],
    summary: 'make a link that lets people register',
    options: {
      uses: { type: 'string', value: 'number', summary: 'how many people can use it, 1 to 1,000; default 1' },
      hours: { type: 'string', value: 'number', summary: 'how long it works, 1 to 2,160; default 168' },
      note: { type: 'string', value: 'text', summary: 'what it is for; the people you invite see it' },
      email: { type: 'string', value: 'address', summary: 'send the invite there, if the server sends mail' },
    },
    notes: `It works while registration is by invite. ${ON_THE_DATA}`,
    run: async (call) => (await import('./invite.ts')).createInvite(call),
  },
  {
    name: 'invite list',
    usage: '',
    args: [0, 0],
    summary: 'list the invites to register',
    notes: ON_THE_DATA,
    run: async (call) => (await import('./invite.ts')).listInvites(call),
  },
  {
    name: 'invite revoke',
    usage: '<id>',
    args: [1, 1],
    summary: 'revoke an invite to register',
    notes: ON_THE_DATA,
    run: async (call) => (await import('./invite.ts')).revokeInvite(call),
  },
];

/** It has no settings yet: it writes the file. */
const JOIN: Command = {
  name: 'cluster join',
  usage: '<token> --address <host:port>',
  args: [1, 1],
  summary: 'get the settings of a cluster, and write them to a file for this machine',
  options: {
    address: {
      type: 'string',
      value: 'host:port',
      summary: 'where other nodes reach this one (QUIRE_CLUSTER_ADDRESS)',
    },
    host: {
      type: 'string',
      value: 'address',
      summary: 'the address to listen on for requests (QUIRE_HOST); default: all',
    },
    'env-file': { type: 'string', value: 'path', summary: 'the file to write; default: quire.env' },
    force: { type: 'boolean', summary: 'replace the file if it exists' },
  },
  notes:
    'The token is from `quire cluster token` on a node. Check the settings with `quire doctor` before you start the server with them.',
  run: async (call) => (await import('./cluster/join.ts')).joinCluster(call),
};

export const serverCommands = [...COMMANDS.map(withEnvFile), JOIN];
