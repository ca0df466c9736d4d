import { createSocket, type RemoteInfo } from 'node:dgram';
import { createServer, type Socket } from 'node:net';
import { takePorts } from '../ports.ts';

/** What a DNS server says about a name. */
export interface DnsAnswers {
  /** The texts of TXT records; several parts of one record are a list. */
  txt?: Array<string | string[]>;
  /** IPv4 addresses. */
  a?: string[];
  /** The name continues elsewhere. */
  cname?: string;
  /** Answers with an error instead, or not at all. */
  fails?: 'SERVFAIL' | 'silence' | 'garbage';
}

/** A small DNS server on loopback, whose answers can change. Other names do not exist. */
export interface DnsServer {
  /** As `host:port`. */
  address: string;
  port: number;
  /** The names that were asked for, in lower case. */
  asked: string[];
  set(name: string, answers: DnsAnswers | undefined): void;
  stop(): Promise<void>;
}

const TYPE = { A: 1, CNAME: 5, TXT: 16 } as const;
const [SERVFAIL, NXDOMAIN] = [2, 3];
/** A longer answer is cut off, and asked for again over TCP. */
const MAX_UDP_BYTES = 1232;

export async function startDns(fallback?: DnsAnswers): Promise<DnsServer> {
  const port = takePorts(1);
  const names = new Map<string, DnsAnswers>();
  const asked: string[] = [];
  const udp = createSocket('udp4');
  const connections = new Set<Socket>();

  const respond = (query: Buffer): Buffer | undefined => {
    const { name } = readQuestion(query);
    asked.push(name);
    const answers = names.get(name) ?? fallback;
    if (answers?.fails === 'silence') return undefined;
    if (answers?.fails === 'garbage') return Buffer.concat([query.subarray(0, 2), Buffer.from('nonsense')]);
    return makeResponse(query, answers, (other) => names.get(other));
  };
  udp.on('message', (query: Buffer, from: RemoteInfo) => {
    const response = respond(query);
    if (response)
      udp.send(response.length > MAX_UDP_BYTES ? cutOff(query) : response, from.port, from.address);
  });
  const tcp = createServer((socket) => {
    connections.add(socket);
    let received = Buffer.alloc(0);
    socket.on('error', () => undefined);
    socket.on('close', () => connections.delete(socket));
    socket.on('data', (chunk: Buffer) => {
      received = Buffer.concat([received, chunk]);
      if (received.length < 2 || received.length < 2 + received.readUInt16BE(0)) return;
      const response = respond(received.subarray(2));
      if (response) socket.write(Buffer.concat([number16(response.length), response]));
    });
  });
  await new Promise<void>((resolve) => udp.bind(port, '127.0.0.1', resolve));
  await new Promise<void>((resolve) => tcp.listen(port, '127.0.0.1', resolve));
  return {
    address: `127.0.0.1:${port}`,
    port,
    asked,
    set: (name, answers) => void (answers ? names.set(name, answers) : names.delete(name)),
    async stop() {
      for (const socket of connections) socket.destroy();
      await new Promise<void>((resolve) => udp.close(() => resolve()));
      await new Promise<void>((resolve) => tcp.close(() => resolve()));
    },
  };
}

function makeResponse(
  query: Buffer,
  answers: DnsAnswers | undefined,
  find: (name: string) => DnsAnswers | undefined,
): Buffer {
  const { type, end } = readQuestion(query);
  if (answers?.fails) return withHeader(query, end, [], SERVFAIL);
  if (!answers) return withHeader(query, end, [], NXDOMAIN);
  const start = Buffer.from([0xc0, 12]);
  if (answers.cname === undefined) return withHeader(query, end, makeRecords(start, type, answers), 0);
  const target = encodeName(answers.cname);
  const link = record(start, TYPE.CNAME, target);
  return withHeader(query, end, [link, ...makeRecords(target, type, find(answers.cname) ?? {})], 0);
}

function makeRecords(name: Buffer, type: number, { txt = [], a = [] }: DnsAnswers): Buffer[] {
  if (type === TYPE.A)
    return a.map((address) => record(name, TYPE.A, Buffer.from(address.split('.').map(Number))));
  if (type !== TYPE.TXT) return [];
  return txt.map((parts) =>
    record(
      name,
      TYPE.TXT,
      Buffer.concat([parts].flat().map((part) => Buffer.from([part.length, ...Buffer.from(part)]))),
    ),
  );
}

const record = (name: Buffer, type: number, data: Buffer) =>
  Buffer.concat([name, number16(type), number16(1), Buffer.from([0, 0, 0, 0]), number16(data.length), data]);

/** The question again, with these answers. */
function withHeader(query: Buffer, end: number, records: Buffer[], code: number, isCutOff = false): Buffer {
  const flags = 0x8180 | code | (isCutOff ? 0x0200 : 0);
  const counts = [flags, 1, records.length, 0, 0].map(number16);
  return Buffer.concat([query.subarray(0, 2), ...counts, query.subarray(12, end), ...records]);
}

const cutOff = (query: Buffer) => withHeader(query, readQuestion(query).end, [], 0, true);

function readQuestion(query: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.subarray(at + 1, at + 1 + length).toString('latin1'));
    at += 1 + length;
  }
  return { name: labels.join('.').toLowerCase(), type: query.readUInt16BE(at + 1), end: at + 5 };
}

const encodeName = (name: string) =>
  Buffer.concat([
    ...name.split('.').map((label) => Buffer.from([label.length, ...Buffer.from(label)])),
    Buffer.from([0]),
  ]);

const number16 = (value: number) => Buffer.from([value >> 8, value & 0xff]);
