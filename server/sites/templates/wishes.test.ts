import { describe, expect, test } from 'bun:test';
import { sortByNearness } from './nearest.ts';
import { fillShelf } from './shelf.ts';
import { nameWish } from './wish-name.ts';

const { described } = fillShelf();
const nearest = (wish: string) => sortByNearness(wish, described)[0]?.key;

describe('the nearest template', () => {
  test.each([
    ['a birthday party for Mia on Saturday', 'event'],
    ['Einladung zum Geburtstag von Max am Samstag', 'event'],
    ['Geburtstagsparty für Lukas', 'event'],
    ['Sommerfest der Feuerwehr', 'event'],
    ['Hochzeit von Anna und Tom', 'event'],
    ['Invite the neighbours to a barbecue', 'event'],
    ['wedding guestbook', 'guestbook'],
    ['Gästebuch für unsere Hochzeit', 'guestbook'],
    ['memories of grandma', 'guestbook'],
    ['Abschiedsgrüße und Erinnerungen für Frau Weber', 'guestbook'],
    ['I want to make a quiz about space with ten questions', 'quiz'],
    ['Ein Quiz für die Klasse 5b über Vulkane', 'quiz'],
    ['classroom vocabulary test French', 'quiz'],
    ['vote on where to eat lunch', 'poll'],
    ['wo essen wir heute?', 'poll'],
    ['Abstimmung: welcher Tag passt euch?', 'poll'],
    ['ich brauche eine Einkaufsliste', 'todo'],
    ['to-do list for the move', 'todo'],
    ['packing list for Norway 🇳🇴', 'todo'],
    ['track my running every day', 'habits'],
    ['Jeden Tag Klavier üben', 'habits'],
    ['ideas for our office', 'ideas'],
    ['Kummerkasten für die Schule', 'ideas'],
    ['a whiteboard for our retro', 'board'],
    ['Whiteboard mit Klebezetteln', 'board'],
    ['kanban for our team', 'team-board'],
    ['eine App, mit der wir Aufgaben im Team verteilen', 'team-board'],
    ['daily stand-up notes of our team', 'digest'],
    ['Linksammlung für Mathe', 'link-shelf'],
    ['collect links about gardening', 'link-shelf'],
    ['contact form', 'contact'],
    ['Kontaktformular für meine Praxis', 'contact'],
    ['landing page for a new app', 'launch'],
    ['Warteliste für mein Produkt', 'launch'],
    ['A page for my bakery with opening hours, prices of bread and cake, and a contact form', 'launch'],
    ['Pinnwand für die Klasse', 'wall'],
    ['poster with AI', 'studio'],
    ['Eine Seite über mich', 'blank'],
    ['asdf qwer', 'blank'],
    ['🎉🎂', 'blank'],
    ['حفلة', 'blank'],
    ['', 'blank'],
    ['?!', 'blank'],
    ['<script>alert(1)</script>', 'blank'],
    ['a'.repeat(10_000), 'blank'],
  ])('of “%s” is %s', (wish, key) => {
    expect(nearest(wish)).toBe(key);
  });

  test('is found without depending on case and accents', () => {
    expect(nearest('GASTEBUCH')).toBe('guestbook');
    expect(nearest('gästebuch')).toBe('guestbook');
  });

  test('comes with all others, each once', () => {
    const keys = sortByNearness('a quiz', described).map(({ key }) => key);
    expect(new Set(keys).size).toBe(described.length);
  });

  test('knows words for every template', () => {
    for (const { key, keywords } of described)
      expect({ key, count: keywords.filter(Boolean).length >= 5 }).toEqual({ key, count: true });
  });
});

describe('the name of a wish', () => {
  test.each([
    ['a birthday party for Mia on Saturday', 'Mia’s birthday party'],
    ['Geburtstagsparty für Lukas', 'Lukas’ Geburtstagsparty'],
    ['Geburtstag von Mia', 'Mias Geburtstag'],
    ['Hochzeit von Anna und Tom', 'Hochzeit von Anna und Tom'],
    ['wedding for Anna and Tom', 'Wedding for Anna and Tom'],
    ['A page for my bakery with opening hours, prices of bread and cake', 'Bakery'],
    ['Please build a page for my', ''],
    ['make me a website', ''],
    ['ich brauche eine Einkaufsliste', 'Einkaufsliste'],
    ['I’d like to make a quiz about space with ten questions', 'Quiz about space'],
    ['vote on where to eat lunch', 'Vote on where to eat lunch'],
    ['Eine Seite über mich', 'Über mich'],
    ['a page about us', 'About us'],
    ['Wo essen wir heute? Am liebsten draußen.', 'Wo essen wir heute'],
    ['ideas for our office and', 'Ideas for our office'],
    ['🎉🎂', '🎉🎂'],
    ['👩‍👩‍👧 family', '👩‍👩‍👧 family'],
    ['יום הולדת לנועה', 'יום הולדת לנועה'],
    ['\u202eparty\u202c\u0000 of\tthe \u200byear', 'Party of the year'],
    ['<b>Party</b>', '<b>Party</b>'],
    ['', ''],
    ['?!…', ''],
    ['\ud83c', ''],
  ])('of “%s” is “%s”', (wish, name) => {
    expect(nameWish(wish)).toBe(name);
  });

  test('has at most 60 characters, and ends with a whole word', () => {
    const name = nameWish('the very long story of '.repeat(20));
    expect(name).toBe('Very long story of the very long story of the very long');
    expect(nameWish('x'.repeat(200))).toHaveLength(60);
    expect([...new Intl.Segmenter().segment(nameWish('👩‍👩‍👧'.repeat(100)))]).toHaveLength(60);
  });

  // Anyone can send a wish. If each took as long as reading it again for every sign, this would take too long.
  test('is found at once in a wish of many signs', () => {
    const wish = `a${','.repeat(300)}x${' a'.repeat(98)}`;
    for (let count = 0; count < 50; count++) expect(nameWish(wish)).toBe('A');
  });
});
