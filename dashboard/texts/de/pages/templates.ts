/** What `templates/catalog.json` says. */
export default {
  'Blank page': 'Leere Seite',
  'A heading, a paragraph and simple styles that work in light and dark.':
    'Eine Überschrift, ein Absatz und einfache Stile, die hell und dunkel funktionieren.',
  'Launch page': 'Ankündigung',
  'What your product will be, in one screen, with a waiting list that needs no code.':
    'Was dein Produkt sein wird, auf einen Blick, mit einer Warteliste ganz ohne Code.',
  Invitation: 'Einladungskarte',
  'When, where and what to bring. Guests answer without an account, and you see who comes.':
    'Wann, wo und was man mitbringt. Gäste antworten ohne Konto, und du siehst, wer kommt.',
  'Guestbook with a function': 'Gästebuch mit Funktion',
  'Visitors sign without an account. A function checks each note and stores it in a database.':
    'Besucher schreiben ohne Konto. Eine Funktion prüft jeden Eintrag und speichert ihn in einer Datenbank.',
  'Contact form': 'Kontaktformular',
  'Anyone can write to you, with files if they like. You read the messages in the dashboard.':
    'Alle können dir schreiben, auf Wunsch mit Dateien. Du liest die Nachrichten im Dashboard.',
  'To-do list': 'Aufgabenliste',
  'Everyone who logs in has a private list, the same in every tab and on every device.':
    'Wer sich anmeldet, hat eine private Liste, gleich in jedem Tab und auf jedem Gerät.',
  'Habit tracker': 'Gewohnheiten',
  'Tick the days on which you did it. Everyone who logs in sees only their own.':
    'Kreuze die Tage an, an denen du es geschafft hast. Alle sehen nur ihre eigenen.',
  'Wall of notes': 'Pinnwand',
  'Anyone can read, visitors who log in post. New notes appear at once.':
    'Alle können lesen, angemeldete Besucher schreiben. Neue Zettel erscheinen sofort.',
  Guestbook: 'Gästebuch',
  'Notes on coloured paper. Authors can change and delete their own.':
    'Einträge auf buntem Papier. Wer schreibt, kann seine eigenen ändern und löschen.',
  Poll: 'Umfrage',
  'One question, one vote per person, and results that everyone sees at once.':
    'Eine Frage, eine Stimme pro Person, und Ergebnisse, die alle sofort sehen.',
  'Idea board': 'Ideensammlung',
  'People suggest what should change and vote for the best. New ideas appear at once.':
    'Leute schlagen vor, was sich ändern soll, und stimmen ab. Neue Ideen erscheinen sofort.',
  'Class quiz': 'Quiz für die Klasse',
  'Questions with four answers. A function checks them, so nobody can look them up in the page.':
    'Fragen mit vier Antworten. Eine Funktion prüft sie, darum stehen die Lösungen nicht in der Seite.',
  Whiteboard: 'Whiteboard',
  'Notes that everyone moves together, with the cursors of everyone who is there.':
    'Zettel, die alle gemeinsam verschieben, mit den Mauszeigern aller, die da sind.',
  'Team board': 'Team-Board',
  'Cards in columns for a small team: invite people, move cards, see who is online.':
    'Karten in Spalten für ein kleines Team: Leute einladen, Karten verschieben, sehen, wer da ist.',
  'Nightly digest': 'Tägliche Zusammenfassung',
  'A team writes down what happened. Every night a function makes a digest of it.':
    'Ein Team schreibt auf, was geschehen ist. Jede Nacht fasst eine Funktion es zusammen.',
  'Link shelf': 'Linksammlung',
  'Links that anyone can add and like, sorted by topic.':
    'Links, die alle hinzufügen und mögen können, nach Themen sortiert.',
  Studio: 'Studio',
  'Plan an image in a chat, create it, and ask about it. Visitors pay with their credits.':
    'Plane ein Bild im Chat, erzeuge es und stelle Fragen dazu. Besucher zahlen mit ihrem Guthaben.',
};
