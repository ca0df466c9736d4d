import type { Command } from '../../cli/command.ts';

/** Commands for whoever runs a server. What they need is loaded when they run: clients can do without it. */

const ON_THE_DATA =
  'Works on the data itself, with the same settings and in the same folder as the server, also while it runs.';

/** Loads the test for errors of the server that their message alone explains. */
export const loadExpected = async () => (await import('./expected.ts')).isExpected;

export const serverCommands: Command[] = [
  {
    name: 'serve',
    usage: '',
    args: [0, 0],
    summary: 'run the service',
    run: async ({ environment }) => (await import('./serve.ts')).serve(environment),
  },
  {
    name: 'doctor',
    usage: '',
    args: [0, 0],
    summary: 'look whether this machine has what the service needs',
    notes: 'Uses the settings of the environment, as the server does. Ends with 1 when something fails.',
    run: async (call) => (await import('./doctor.ts')).doctor(call),
  },
  {
    name: 'backup',
    usage: '[file]',
    args: [0, 1],
    summary: 'take everything into one archive',
    notes: ON_THE_DATA,
    run: async (call) => (await import('./archive/backup.ts')).backup(call),
  },
  {
    name: 'restore',
    usage: '<file>',
    args: [1, 1],
    summary: 'put an archive into an empty data folder',
    options: { check: { type: 'boolean', summary: 'only say whether the archive is whole' } },
    notes:
      'Uses the settings of the environment, as the server does. The folder must be empty, the database too.',
    run: async (call) => (await import('./archive/restore.ts')).restore(call),
  },
  {
    name: 'migrate-to-cluster',
    usage: '<folder>',
    args: [1, 1],
    summary: 'move an installation on one machine into a cluster',
    options: {
      'database-url': {
        type: 'string',
        value: 'url',
        summary: 'the PostgreSQL of the old installation, where it has one',
      },
    },
    notes:
      'The folder is the data folder of the old installation, whose server must not run. The settings of the environment are those of a node of the new cluster, whose database, bucket and data folder must be empty. Ends with a comparison of both; the old installation stays as it was.',
    run: async (call) => (await import('./archive/migrate-to-cluster.ts')).migrateToCluster(call),
  },
  {
    name: 'user list',
    usage: '',
    args: [0, 0],
    summary: 'the users of this server',
    notes: ON_THE_DATA,
    run: async (call) => (await import('./user.ts')).listUsers(call),
  },
  {
    name: 'user create',
    usage: '<username> --email <address>',
    args: [1, 1],
    summary: 'make an account, also where registration is closed',
    options: {
      email: { type: 'string', value: 'address', summary: 'the e-mail address, which no other account has' },
      admin: { type: 'boolean', summary: 'an administrator' },
    },
    notes: `The password is asked for, or read from standard input. ${ON_THE_DATA}`,
    run: async (call) => (await import('./user.ts')).createUser(call),
  },
  {
    name: 'user password',
    usage: '<username>',
    args: [1, 1],
    summary: 'give somebody another password, and log them out everywhere',
    notes: `The password is asked for, or read from standard input. ${ON_THE_DATA}`,
    run: async (call) => (await import('./user.ts')).resetPassword(call),
  },
  {
    name: 'user promote',
    usage: '<username>',
    args: [1, 1],
    summary: 'make somebody an administrator',
    notes: ON_THE_DATA,
    run: async (call) => (await import('./user.ts')).promoteUser(call),
  },
  {
    name: 'user demote',
    usage: '<username>',
    args: [1, 1],
    summary: "take an administrator's rights away",
    notes: ON_THE_DATA,
    run: async (call) => (await import('./user.ts')).demoteUser(call),
  },
];
