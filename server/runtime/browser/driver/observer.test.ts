import { expect, test } from 'bun:test';
import {
  MAX_CHECK_TEXT,
  MAX_CONSOLE_MESSAGES,
  MAX_FAILED_REQUESTS,
  MAX_NOTES,
  MAX_PAGE_ERRORS,
  MAX_RESPONSE_TEXT,
} from '../../../../contract/checks/page-check.ts';
import { Observer } from './observer.ts';

const PAGE = 'http://p1.pages.localhost/';
const EVENTS = [
  'Runtime.consoleAPICalled',
  'Log.entryAdded',
  'Runtime.exceptionThrown',
  'Debugger.scriptParsed',
  'Page.frameNavigated',
  'Network.requestWillBeSent',
  'Network.responseReceived',
  'Network.loadingFinished',
  'Network.loadingFailed',
  'Page.unknown',
];

function opened(): Observer {
  const observer = new Observer();
  observer.event('Page.frameNavigated', { frame: { url: PAGE } });
  return observer;
}

const printed = (args: unknown[], stackTrace?: unknown) => ({ type: 'log', args, stackTrace });

test.each([
  [
    [
      { type: 'string', value: 'a' },
      { type: 'number', value: 1 },
    ],
    'a 1',
  ],
  [[{ type: 'number', unserializableValue: 'NaN' }], 'NaN'],
  [[{ type: 'object', subtype: 'null', value: null }], 'null'],
  [[{ type: 'undefined' }], 'undefined'],
  [[{ type: 'boolean', value: false }], 'false'],
  [[{ type: 'function', description: 'class A {}' }], 'class A {}'],
  [
    [
      {
        type: 'object',
        preview: {
          overflow: true,
          properties: [
            { name: 'a', type: 'string', value: 'x' },
            { name: 'b', type: 'number', value: '2' },
          ],
        },
      },
    ],
    '{a: "x", b: 2, …}',
  ],
  [[{ type: 'object', preview: { subtype: 'array', properties: [{ type: 'number', value: '1' }] } }], '[1]'],
  [[{ type: 'object', preview: { subtype: 'error', description: 'Error: no' } }], 'Error: no'],
  [[null, 1, 'x', []], 'null null null null'],
])('prints %j as %s', (args, text) => {
  const observer = opened();
  observer.event('Runtime.consoleAPICalled', printed(args));
  expect(observer.console).toEqual([{ level: 'log', text }]);
});

test('names the line of the document, not of the SDK', () => {
  const observer = opened();
  const callFrames = [
    { url: 'http://p1.pages.localhost/sdk/page.js', lineNumber: 1 },
    { url: `${PAGE}#part`, lineNumber: 6 },
  ];
  observer.event('Runtime.consoleAPICalled', printed([], { callFrames }));
  observer.event('Runtime.consoleAPICalled', printed([], { callFrames: callFrames.slice(0, 1) }));
  expect(observer.console.map(({ line }) => line)).toEqual([7, undefined]);
});

test('bounds every list and every text', () => {
  const observer = opened();
  const long = 'x'.repeat(MAX_CHECK_TEXT + 1);
  for (let count = 0; count < 200; count++) {
    observer.event('Runtime.consoleAPICalled', printed([{ type: 'string', value: long }]));
    observer.event('Runtime.exceptionThrown', { exceptionDetails: { exception: { description: long } } });
    observer.event('Network.responseReceived', { response: { url: `http://a/${long}`, status: 500 } });
    observer.note(`${count} ${long}`);
  }
  const { console, errors, failedRequests, notes } = observer;
  expect(console.length).toBe(MAX_CONSOLE_MESSAGES);
  expect(errors.length).toBe(MAX_PAGE_ERRORS);
  expect(failedRequests.length).toBe(MAX_FAILED_REQUESTS);
  expect(notes.length).toBe(MAX_NOTES);
  expect(console[0]?.text.length).toBe(MAX_CHECK_TEXT);
  expect(console[0]?.text.endsWith('…')).toBeTrue();
  expect(observer.messages).toBe(200);
});

test('survives events of any shape', () => {
  const observer = opened();
  const values = [undefined, null, 1, 'x', [], {}, [null], { a: { b: {} } }];
  const fields = ['args', 'stackTrace', 'entry', 'exceptionDetails', 'frame', 'request', 'response', 'url'];
  for (const event of EVENTS)
    for (const value of values)
      for (const field of fields)
        expect(() => observer.event(event, { requestId: value, [field]: value })).not.toThrow();
});

test('says why a request failed, and leaves out what the browser asks for itself', () => {
  const observer = opened();
  const begin = (requestId: string, url: string, type = 'Image') =>
    observer.event('Network.requestWillBeSent', { requestId, type, request: { url } });
  begin('1', 'https://10.0.0.1/');
  begin('2', 'http://a/');
  begin('3', 'http://b/');
  begin('4', 'http://events/', 'EventSource');
  expect(observer.openRequests).toBe(3);
  observer.event('Network.loadingFailed', {
    requestId: '1',
    errorText: 'net::ERR_TUNNEL_CONNECTION_FAILED',
  });
  observer.event('Network.loadingFailed', { requestId: '2', blockedReason: 'csp' });
  observer.event('Network.loadingFailed', { requestId: '3', canceled: true });
  observer.event('Network.responseReceived', {
    type: 'Other',
    response: { url: 'http://a/favicon.ico', status: 404 },
  });
  const reason = 'It is not a public address, or it does not answer.';
  expect(observer.failedRequests).toEqual([
    { url: 'https://10.0.0.1/', status: 0, reason },
    { url: 'http://a/', status: 0, reason: 'blocked: csp' },
  ]);
  expect(observer.openRequests).toBe(0);
});

test('shows no tickets of calls', () => {
  const observer = opened();
  const url = 'http://f4.functions.localhost/export';
  const shown = `${url}?a=1&quire_ticket=eyJmIjo0fQ.X5-c_s`;
  observer.event('Log.entryAdded', {
    entry: { level: 'error', text: `Access to fetch at '${shown}' is blocked.` },
  });
  observer.event('Network.responseReceived', { requestId: '1', response: { url: shown, status: 403 } });
  expect(observer.console[0]?.text).toBe(`Access to fetch at '${url}?a=1' is blocked.`);
  expect(observer.failedRequests).toEqual([{ url: `${url}?a=1`, status: 403 }]);
});

test('has the first characters of a response that failed, if it is text', () => {
  const observer = opened();
  const fail = (requestId: string) =>
    observer.event('Network.responseReceived', {
      requestId,
      response: { url: `http://a/${requestId}`, status: 500 },
    });
  for (const id of ['exact', 'long', 'bytes', 'empty', 'unread']) fail(id);
  expect(observer.unreadFailures).toEqual(['exact', 'long', 'bytes', 'empty', 'unread']);
  observer.addResponseText('exact', { body: 'x'.repeat(MAX_RESPONSE_TEXT) });
  observer.addResponseText('long', { body: 'x'.repeat(MAX_RESPONSE_TEXT + 1) });
  observer.addResponseText('bytes', { body: 'AAAA', base64Encoded: true });
  observer.addResponseText('empty', { body: '' });
  observer.addResponseText('other', { body: 'x' });
  const texts = observer.failedRequests.map(({ text }) => text);
  expect(texts).toEqual([
    'x'.repeat(MAX_RESPONSE_TEXT),
    `${'x'.repeat(MAX_RESPONSE_TEXT - 1)}…`,
    undefined,
    undefined,
    undefined,
  ]);
  expect(observer.unreadFailures).toEqual(['unread']);
});
