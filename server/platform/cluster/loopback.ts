import { randomUUID } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';

/** An address with its port apart, as connections need it. */
export interface Endpoint {
  host: string;
  port: number;
}

/** Splits `10.0.0.1:7000`, `node.example:7000` or `[fd00::1]:7000`. */
export function splitAddress(address: string): Endpoint {
  const at = address.lastIndexOf(':');
  return { host: address.slice(0, at).replace(/^\[|\]$/g, ''), port: Number(address.slice(at + 1)) };
}

/**
 * Where the database hosts of a node are, on its own machine and, through TLS, on every other: on a loopback address
 * that no other node has. Their ports are those after the node's own, which may be taken on all addresses.
 */
export function findHosts(number: number, address: string): Endpoint {
  return { host: `127.77.${number >> 8}.${number & 255}`, port: splitAddress(address).port + 1 };
}

/** The same as text. */
export function findHostsAddress(number: number, address: string): string {
  const { host, port } = findHosts(number, address);
  return `${host}:${port}`;
}

/** Names the loopback of this machine or container: nodes with the same one reach each other there. */
export function readNetwork(): string {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    return `${boot} ${readlinkSync('/proc/self/ns/net')}`;
  } catch {
    return randomUUID();
  }
}
