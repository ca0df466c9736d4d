import { expect, test } from 'bun:test';
import { browserFlags } from './flags.ts';

const findFlag = (flags: string[], name: string) =>
  flags.find((flag) => flag.startsWith(`--${name}=`))?.slice(name.length + 3);

test.each([
  {
    hosts: {
      baseUrl: 'http://localhost:3000',
      pagesHost: 'pages.localhost:3000',
      functionsHost: 'functions.localhost:3000',
    },
    bypass: '<-loopback>;localhost:3000;*.pages.localhost:3000;*.functions.localhost:3000',
    rules:
      'MAP localhost 127.0.0.1:3129, MAP *.pages.localhost 127.0.0.1:3129, MAP *.functions.localhost 127.0.0.1:3129',
  },
  {
    hosts: { baseUrl: 'https://quire.example', pagesHost: undefined, functionsHost: undefined },
    bypass: '<-loopback>;quire.example:443',
    rules: 'MAP quire.example 127.0.0.1:3129',
  },
  {
    hosts: { baseUrl: 'http://[::1]:3000', pagesHost: undefined, functionsHost: undefined },
    bypass: '<-loopback>;[::1]:3000',
    rules: 'MAP ::1 127.0.0.1:3129',
  },
])('only our own hosts bypass the egress: $hosts.baseUrl', ({ hosts, bypass, rules }) => {
  const flags = browserFlags(hosts, undefined);
  expect(findFlag(flags, 'proxy-server')).toBe('http://127.0.0.1:3128');
  expect(findFlag(flags, 'proxy-bypass-list')).toBe(bypass);
  expect(findFlag(flags, 'host-resolver-rules')).toBe(`${rules}, MAP * ~NOTFOUND, EXCLUDE 127.0.0.1`);
});
