import { connect } from '../client/connect.ts';
import { type Command, SERVER_OPTION } from '../command.ts';
import { Bridge } from './bridge.ts';

export const mcp: Command = {
  name: 'mcp',
  usage: '',
  args: [0, 0],
  summary: 'be an MCP server on standard input and output, for agents',
  options: SERVER_OPTION,
  notes:
    'For MCP clients that start a program instead of connecting to a URL. Everything is passed on to the server that you are logged in to, with your login.',
  async run(call) {
    const bridge = new Bridge({
      api: await connect(call),
      write: (line) => call.out.raw(`${line}\n`),
      // Clients show what comes on standard error as the log of the server.
      complain: (text) => call.out.error(text),
    });
    await bridge.run(process.stdin);
  },
};
