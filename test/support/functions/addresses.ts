import { hostname, networkInterfaces } from 'node:os';

/** Every way to write an address that a function must not reach. */
export const PRIVATE_HOSTS = [
  ...['127.0.0.1', '127.1', '127.0.0.2', 'localhost', 'sub.localhost', '2130706433', '0177.0.0.1'],
  ...['0x7f000001', '0x7f.1', '[::1]', '[::ffff:127.0.0.1]', '[::ffff:7f00:1]', '[::127.0.0.1]'],
  ...['0.0.0.0', '0', '[::]', '10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.0.1', '169.254.169.254'],
  ...['100.64.0.1', '198.18.0.1', '192.0.2.1', '198.51.100.1', '203.0.113.1', '192.88.99.1'],
  ...['224.0.0.1', '240.0.0.1', '255.255.255.255', '[fd00::1]', '[fc00::1]', '[fe80::1]', '[fec0::1]'],
  ...['[64:ff9b::7f00:1]', '[64:ff9b::a00:1]', '[2002:7f00:1::]', '[2002:a00:1::1]', '[2001:0:7f00:1::]'],
  ...['[2001:db8::1]', '[ff02::1]'],
  // This machine by its own name and addresses, public or not: nobody else may use what listens there.
  hostname(),
  ...Object.values(networkInterfaces())
    .flatMap((addresses = []) => addresses)
    .map(({ address, family }) => (family === 'IPv6' ? `[${address}]` : address)),
];
