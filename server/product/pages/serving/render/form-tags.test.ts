import { expect, test } from 'bun:test';
import { connectForms } from './form-tags.ts';

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

test('takes time in proportion to the length', () => {
  const many = '<form data-quire-form="contact">'.repeat(100_000);
  expect(connectForms(many, 7).length).toBe(many.length + 100_000 * ADDED.length);
});
