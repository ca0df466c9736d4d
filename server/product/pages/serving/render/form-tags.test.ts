import { expect, test } from 'bun:test';
import { connectForms, MAX_CONNECTED } from './form-tags.ts';

const ADDED = ' action="/api/pages/7/forms/contact" method="post" enctype="multipart/form-data"';

test.each([
  ['<form data-quire-form="contact">', `<form${ADDED} data-quire-form="contact">`],
  [
    '<p><FORM id=a data-quire-form = contact action="/x">',
    `<p><FORM${ADDED} id=a data-quire-form = contact action="/x">`,
  ],
  [`<form\ndata-quire-form='contact'>`, `<form${ADDED}\ndata-quire-form='contact'>`],
  [
    '<form data-x=">" data-quire-form="contact"></form>',
    `<form${ADDED} data-x=">" data-quire-form="contact"></form>`,
  ],
])('connects %s', (html, expected) => {
  expect(connectForms(html, 7)).toBe(expected);
});

test.each([
  '<form>',
  '<form data-quire-form>',
  '<form data-quire-form="">',
  '<form data-quire-form="not a name">',
  `<form data-quire-form='"><script>'>`,
  '<form data-quire-form="../../x">',
  '<div data-quire-form="contact">',
  '<formula data-quire-form="contact">',
  '<!-- <form data-quire-form="contact"> -->',
  '<script>"<form data-quire-form=contact>"</script>',
  '<textarea><form data-quire-form="contact"></textarea>',
  '<form data-quire-form="contact"',
])('leaves %s alone', (html) => {
  expect(connectForms(html, 7)).toBe(html);
});

test('connects 1,000 forms of a document, and does not make it much longer', () => {
  const many = (count: number) => '<form data-quire-form="contact">'.repeat(count);
  const most = connectForms(many(MAX_CONNECTED), 7);
  expect(most.length).toBe(many(1_000).length + 1_000 * ADDED.length);
  expect(connectForms(many(100_000), 7)).toBe(most + many(99_000));
});
