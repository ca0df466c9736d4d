import { expect, test } from 'bun:test';
import { listsPeople } from './people-lists.ts';

test.each([
  ['name,email\nAda,ada@example.com\nGrace,grace@example.com'],
  ['\uFEFFVorname;Klasse;Geburtstag\r\nMia;7b;3.4.2012\r\nNoah;7b;17.9.2012\r\n'],
  [
    '{"students":[{"firstName":"Mia","birthDate":"2012-04-03"},{"firstName":"Noah","birthDate":"2012-09-17"}]}',
  ],
])('knows a list of people: %s', (text) => {
  expect(listsPeople(text)).toBe(true);
});

test.each([
  ['name,address,phone\nShop Bern,Lane 1,031 000 00 00\nShop Basel,Lane 2,061 000 00 00'],
  ['name,email\nOffice,office@example.com'],
  ['name,email\nAda,\nGrace,'],
  ['[{"short":"KEL","subject":"Maths"},{"short":"FRE","subject":"Sport"}]'],
  ['{"name":"a package","email":"x@example.com"}'],
  ['{"broken'],
  ['[1, null, "name", ["email"]]'],
  [''],
])('knows what is no list of people: %s', (text) => {
  expect(listsPeople(text)).toBe(false);
});
