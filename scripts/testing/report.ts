import { add, type Failure, NOTHING, type Outcome } from './outcome.ts';

/** The outcome of each file in Bun's JUnit report. A file that could not be loaded is not in it. */
export function readReport(xml: string): Map<string, Outcome> {
  const files = new Map<string, Outcome>();
  for (const [, open = '', content = ''] of xml.matchAll(
    /<testcase ((?:[^>]*[^/])?)(?:\/>|>(.*?)<\/testcase>)/gs,
  )) {
    const file = attribute(open, 'file');
    files.set(file, add(files.get(file) ?? NOTHING, readCase(file, open, content)));
  }
  return files;
}

function readCase(file: string, open: string, content: string): Outcome {
  if (content.includes('<skipped')) return { ...NOTHING, skipped: 1 };
  const failure = /<(?:failure|error) ([^>]*?)(?:\/>|>(.*?)<\/(?:failure|error)>)/s.exec(content);
  if (!failure) return { ...NOTHING, passed: 1 };
  const [, described = '', text = ''] = failure;
  const failed: Failure = {
    name: fullName(open),
    file,
    // The text contains the position too. A test that timed out has no text.
    error: decode(text).trim() || attribute(described, 'message'),
  };
  return { ...NOTHING, failed: 1, failures: [failed] };
}

/** Bun lists the groups around a test from the inside out. */
function fullName(open: string): string {
  const groups = attribute(open, 'classname').split(' > ').reverse();
  return [...groups, attribute(open, 'name')].filter(Boolean).join(' > ');
}

function attribute(element: string, name: string): string {
  return decode(new RegExp(`(?:^| )${name}="([^"]*)"`).exec(element)?.[1] ?? '');
}

const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

function decode(text: string): string {
  return text.replace(/&(?:#(\d+)|#x([\da-f]+)|(\w+));/gi, (whole, decimal, hex, name) => {
    if (name) return ENTITIES[name] ?? whole;
    return String.fromCodePoint(decimal ? Number(decimal) : Number.parseInt(hex, 16));
  });
}
