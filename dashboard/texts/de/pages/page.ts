/** The pages: their list, how a new one begins, their versions and their settings. */
export default {
  'Links to the page now show this picture.': 'Links auf die Seite zeigen jetzt dieses Bild.',
  'The page and everything in it are deleted.': 'Die Seite und alles darin wurden gelöscht.',
  'The page is now at {path}.': 'Die Seite ist jetzt unter {path}.',
  'The page is updated.': 'Die Seite wurde geändert.',
  '{domain} no longer shows this page.': '{domain} zeigt diese Seite nicht mehr.',
  '/p/{slug} no longer leads to this page.': '/p/{slug} führt nicht mehr zu dieser Seite.',
  '<b>{domain}</b> no longer shows this page, and links to it stop working. Another page can then have the domain.':
    '<b>{domain}</b> zeigt diese Seite nicht mehr, und Links dorthin funktionieren nicht mehr. Danach kann eine andere Seite die Domain haben.',
  '<code>/p/{slug}</code> leads here until <when>{date}</when>':
    '<code>/p/{slug}</code> führt bis <when>{date}</when> hierher',
  'A fork is a new page with the same HTML and settings, but without the data.':
    'Eine Kopie ist eine neue Seite mit demselben HTML und denselben Einstellungen, aber ohne die Daten.',
  'A page can have {max} domains. Remove one to add another.':
    'Eine Seite kann {max} Domains haben. Entferne eine, um eine andere hinzuzufügen.',
  'A question costs the visitor 1 credit. They must agree first.':
    'Eine Frage kostet den Besucher 1 Credit. Er muss vorher zustimmen.',
  'A quiet watercolour of an open book': 'Ein stilles Aquarell eines offenen Buchs',
  AI: 'KI',
  'Add domain': 'Domain hinzufügen',
  'Added {domain}. Add its DNS records, then verify it.':
    '{domain} ist hinzugefügt. Lege die DNS-Einträge an und bestätige die Domain dann.',
  After: 'Nachher',
  'All members of the page’s team, after they log in.':
    'Alle Mitglieder des Teams der Seite, nachdem sie sich angemeldet haben.',
  'An administrator removed the page from the gallery: {reason}':
    'Ein Administrator hat die Seite aus der Galerie entfernt: {reason}',
  'An image costs the visitor 4 credits. They must agree first.':
    'Ein Bild kostet den Besucher 4 Credits. Er muss vorher zustimmen.',
  Anyone: 'Alle',
  'Anyone with the URL can see the page.': 'Alle mit der Adresse können die Seite sehen.',
  'Anyone with the link can see it. You can change this in the settings.':
    'Alle mit dem Link können sie sehen. Das kannst du in den Einstellungen ändern.',
  'Anyone with this link can see this draft until {until}.':
    'Alle mit diesem Link können den Entwurf sehen, bis {until}.',
  'Single-page app': 'Single-Page-App',
  'Addresses below the page that match no file show the page itself.':
    'Adressen unterhalb der Seite, zu denen es keine Datei gibt, zeigen die Seite selbst.',
  'Asks search engines not to list the page. The URL keeps working.':
    'Bittet Suchmaschinen, die Seite nicht aufzuführen. Die Adresse funktioniert weiter.',
  Before: 'Vorher',
  'Change mode': 'Modus ändern',
  'Change the mode to {mode}?': 'Modus auf {mode} ändern?',
  'Choose a folder with an index.html, or a zip archive of one. You can also drop it on the list of pages.':
    'Wähle einen Ordner mit einer index.html oder ein Zip-Archiv davon. Du kannst ihn auch auf der Liste der Seiten ablegen.',
  'Choose folder': 'Ordner auswählen',
  'Choose zip or HTML file': 'Zip- oder HTML-Datei auswählen',
  Class: 'Unterricht',
  'Copied {name} to /p/{slug} as a draft.': '{name} ist als Entwurf nach /p/{slug} kopiert.',
  'Copied {name} to /p/{slug}.': '{name} ist nach /p/{slug} kopiert.',
  'Copy or delete': 'Kopieren oder löschen',
  'Covers the page, its files, data and picture. You and the admins of its team always see it.':
    'Gilt für die Seite, ihre Dateien, ihre Daten und ihr Bild. Du und die Admins des Teams sehen sie immer.',
  'Create page': 'Seite erstellen',
  'Create the page': 'Seite erstellen',
  'Created {name}. Only you can see it.': '{name} ist erstellt. Nur du kannst die Seite sehen.',
  'Current image': 'Aktuelles Bild',
  'DNS records': 'DNS-Einträge',
  'Data is public. Anyone can read it. Visitors who log in can add data and edit their own.':
    'Daten sind öffentlich. Alle können sie lesen. Besucher, die sich anmelden, können Daten hinzufügen und ihre eigenen bearbeiten.',
  'Delete draft': 'Entwurf löschen',
  'Delete this draft?': 'Diesen Entwurf löschen?',
  'Delete this page': 'Diese Seite löschen',
  'Deploy the function and its database': 'Funktion und ihre Datenbank bereitstellen',
  Domain: 'Domain',
  Domains: 'Domains',
  'Draft {id}': 'Entwurf {id}',
  'Drop a folder or a zip archive to publish it as a page':
    'Lege einen Ordner oder ein Zip-Archiv ab, um daraus eine Seite zu veröffentlichen',
  'Each is a complete page with its function, data and rules. One click publishes it, and you can change all of it.':
    'Jede ist eine vollständige Seite mit Funktion, Daten und Regeln. Ein Klick veröffentlicht sie, und du kannst alles daran ändern.',
  'Each visitor who logs in has private data.': 'Jeder Besucher, der sich anmeldet, hat private Daten.',
  Editor: 'Editor',
  'Everyone who comes to this server finds the page, with a picture of it and your username, and can fork it.':
    'Alle, die auf diesen Server kommen, finden die Seite mit einem Bild und deinem Benutzernamen und können sie kopieren.',
  'Features for visitors': 'Möglichkeiten für Besucher',
  Finish: 'Abschließen',
  'First steps': 'Erste Schritte',
  'Fork and publish': 'Kopieren und veröffentlichen',
  'Fork as a draft': 'Als Entwurf kopieren',
  'Fork this page': 'Diese Seite kopieren',
  'Fork {name}?': '{name} kopieren?',
  'Free for visitors who are logged in, with a rate limit.':
    'Kostenlos für angemeldete Besucher, in begrenzter Häufigkeit.',
  'Free. Creates pages in the visitor’s account, which use their storage quota. They must agree first.':
    'Kostenlos. Erstellt Seiten im Konto des Besuchers, die sein Speicherkontingent nutzen. Er muss vorher zustimmen.',
  'Free. This server has no image provider, so it draws a card with the name, description and colors of the page.':
    'Kostenlos. Dieser Server hat keinen Bildanbieter, deshalb zeichnet er eine Karte mit Name, Beschreibung und Farben der Seite.',
  'From then on, only you and the admins of its team see the page.':
    'Danach sehen nur du und die Admins des Teams die Seite.',
  General: 'Allgemein',
  'Generate image': 'Bild erzeugen',
  'Generate new image': 'Neues Bild erzeugen',
  'Generated from the name and the text of the page.': 'Wird aus dem Namen und dem Text der Seite erzeugt.',
  'Generating image…': 'Bild wird erzeugt …',
  'Give it to your visitors. It is not shown again.':
    'Gib es deinen Besuchern. Es wird nicht noch einmal angezeigt.',
  'Give up /p/{slug}': '/p/{slug} aufgeben',
  'Give up this address?': 'Diese Adresse aufgeben?',
  'Give up': 'Aufgeben',
  'Go to the editor': 'Zum Editor',
  Instructions: 'Anweisungen',
  'It was published or deleted. Choose another one, or a version.':
    'Er ist veröffentlicht oder gelöscht worden. Wähle einen anderen oder eine Version.',
  'Its function uses npm packages, which this server downloads when it deploys it.':
    'Ihre Funktion verwendet npm-Pakete. Dieser Server lädt sie beim Bereitstellen herunter.',
  'Its text and the files that only it has are gone for good. The page stays as it is.':
    'Sein Text und die Dateien, die nur er hat, sind dann endgültig weg. Die Seite bleibt, wie sie ist.',
  'Kind of page': 'Art der Seite',
  'Last checked <when>{ago}</when>.': 'Zuletzt geprüft: <when>{ago}</when>.',
  'Leave it empty to keep the password. A new one locks out everyone who has the old one.':
    'Lass das Feld leer, um das Passwort zu behalten. Ein neues sperrt alle aus, die das alte haben.',
  'Left out: {names} and others.': 'Ausgelassen: {names} und andere.',
  'Left out: {names}.': 'Ausgelassen: {names}.',
  'Let anyone see the page first.': 'Lass zuerst alle die Seite sehen.',
  'Links to <code>/p/{slug}</code> stop working, and other people can then use the address for their pages.':
    'Links auf <code>/p/{slug}</code> funktionieren dann nicht mehr, und andere können die Adresse für ihre Seiten verwenden.',
  'Loading…': 'Wird geladen …',
  'Main address': 'Hauptadresse',
  'No domains yet. The page is at /p/{slug}.': 'Noch keine Domains. Die Seite ist unter /p/{slug}.',
  'No image yet': 'Noch kein Bild',
  'No templates': 'Keine Vorlagen',
  'None of your pages matches “{query}”.': 'Keine deiner Seiten passt zu „{query}“.',
  'Not published': 'Nicht veröffentlicht',
  'Not verified': 'Nicht bestätigt',
  'Old addresses': 'Alte Adressen',
  'Only for visitors who are logged in. They never cost you anything.':
    'Nur für angemeldete Besucher. Dich kosten sie nie etwas.',
  'Only you, and the admins of the page’s team.': 'Nur du und die Admins des Teams der Seite.',
  'Open in the editor': 'Im Editor öffnen',
  'Open page': 'Seite öffnen',
  'Open {name} in a new tab': '{name} in einem neuen Tab öffnen',
  'Page not found': 'Seite nicht gefunden',
  'Page spawn': 'Seiten erzeugen',
  'Pages of other people whose team you are in, or that you can see.':
    'Seiten anderer, in deren Team du bist oder die du sehen darfst.',
  People: 'Personen',
  'People with the password': 'Alle mit dem Passwort',
  'Permanently deletes the page, all its versions and all its data.':
    'Löscht die Seite, alle ihre Versionen und alle ihre Daten endgültig.',
  Play: 'Spiel',
  'Preview link': 'Link zur Vorschau',
  'Preview of draft {id}': 'Vorschau von Entwurf {id}',
  'Preview of version {version}': 'Vorschau von Version {version}',
  'Publish all the same': 'Trotzdem veröffentlichen',
  'Publish now': 'Jetzt veröffentlichen',
  'Publish the page first.': 'Veröffentliche zuerst die Seite.',
  'Published {name}.': '{name} ist veröffentlicht.',
  'Publishing this draft would change': 'Änderungen durch diesen Entwurf',
  'Publishing…': 'Wird veröffentlicht …',
  'Record missing': 'Eintrag fehlt',
  'Remove this domain?': 'Diese Domain entfernen?',
  'Renamed to {name}.': 'Heißt jetzt {name}.',
  'Save access': 'Zugang speichern',
  'Saved who can see this page.': 'Gespeichert, wer diese Seite sehen kann.',
  'Saved {when} by {author}, based on version {version}':
    'Gespeichert am {when} von {author}, auf der Grundlage von Version {version}',
  'Saved {when}, based on version {version}':
    'Gespeichert am {when}, auf der Grundlage von Version {version}',
  'Search by name, URL or description': 'Nach Name, Adresse oder Beschreibung suchen',
  'Search your pages': 'Deine Seiten durchsuchen',
  'Set up its data': 'Daten einrichten',
  'Shared with you': 'Mit dir geteilt',
  'Show all {count}': 'Alle {count} anzeigen',
  'Show in the gallery of this server': 'In der Galerie dieses Servers zeigen',
  'Show the page at a domain of your own. Visitors of its other addresses are redirected there.':
    'Zeige die Seite unter deiner eigenen Domain. Besucher ihrer anderen Adressen werden dorthin weitergeleitet.',
  'Shown in search results and link previews. {length} of {max} characters.':
    'Erscheint in Suchergebnissen und in der Vorschau von Links. {length} von {max} Zeichen.',
  'Shown with links to the page in chats and on social media.':
    'Erscheint bei Links zur Seite in Chats und sozialen Medien.',
  'Social app': 'Social-App',
  'Solo app': 'Solo-App',
  'Some people': 'Bestimmte Personen',
  'Stores no data. The page can still call functions.':
    'Speichert keine Daten. Die Seite kann trotzdem Funktionen aufrufen.',
  Team: 'Team',
  'Team app': 'Team-App',
  'Team only': 'Nur Team',
  'The TXT record is gone. The page stays here for {days} days after that was noticed. Add the record again.':
    'Der TXT-Eintrag ist weg. Die Seite bleibt hier noch {days} Tage, nachdem das bemerkt wurde. Lege den Eintrag wieder an.',
  'The TXT record proves that the domain is yours: leave it there. The other one leads visitors here. At the top of a domain, use an A or ALIAS record instead of a CNAME.':
    'Der TXT-Eintrag beweist, dass die Domain dir gehört: Lass ihn stehen. Der andere führt Besucher hierher. Auf der obersten Ebene einer Domain nimmst du statt CNAME einen A- oder ALIAS-Eintrag.',
  'The TXT record was not found.': 'Der TXT-Eintrag wurde nicht gefunden.',
  'The copy has the same name and gets its own URL. If you publish it now, anyone with the URL can open it. Only you and its team can open a draft.':
    'Die Kopie hat denselben Namen und bekommt eine eigene Adresse. Wenn du sie jetzt veröffentlichst, können alle mit der Adresse sie öffnen. Einen Entwurf können nur du und sein Team öffnen.',
  'The copy has the same name and gets its own URL. It is a draft like this page: only you and its team can open it.':
    'Die Kopie hat denselben Namen und bekommt eine eigene Adresse. Sie ist ein Entwurf wie diese Seite: Nur du und ihr Team können sie öffnen.',
  'The draft is deleted.': 'Der Entwurf ist gelöscht.',
  'The gallery shows only pages that stay public. Remove the end first.':
    'Die Galerie zeigt nur Seiten, die öffentlich bleiben. Entferne zuerst das Ende.',
  'The image provider generates it from the page and your instructions. Costs 4 of your credits, or nothing if it fails.':
    'Der Bildanbieter erzeugt es aus der Seite und deinen Anweisungen. Kostet 4 deiner Credits, oder nichts, wenn es misslingt.',
  'The members of a team share data. Their role decides what they can do.':
    'Die Mitglieder eines Teams teilen Daten. Ihre Rolle bestimmt, was sie können.',
  'The name has {length} characters. The limit is {max}.':
    'Der Name hat {length} Zeichen. Die Grenze ist {max}.',
  'The name {fault}.': 'Ungültiger Name: {fault}.',
  'The page could not be drawn. Check it in the editor to see why.':
    'Die Seite konnte nicht gezeichnet werden. Prüfe sie im Editor, um zu sehen, warum.',
  'The page is at its URL. Only you and its team can open a draft.':
    'Die Seite ist unter ihrer Adresse. Einen Entwurf können nur du und ihr Team öffnen.',
  'The page is at version {version}, and this draft was started from version {base}. If you publish it, version {version} stays in the version history.':
    'Die Seite ist bei Version {version}, und dieser Entwurf ist aus Version {base} entstanden. Wenn du ihn veröffentlichst, bleibt Version {version} im Versionsverlauf.',
  'The page is at {start}<b>{slug}</b>.': 'Die Seite ist unter {start}<b>{slug}</b>.',
  'The page stores no data now. {change}': 'Die Seite speichert jetzt keine Daten. {change}',
  'The page then stores no data.': 'Die Seite speichert dann keine Daten.',
  'The page will be at {start}<b>{slug}</b>. The old URL /p/{old} redirects there.':
    'Die Seite wird unter {start}<b>{slug}</b> sein. Die alte Adresse /p/{old} leitet dorthin weiter.',
  'The people that you name, after they log in.':
    'Die Personen, die du nennst, nachdem sie sich angemeldet haben.',
  'The slug has {length} characters. The limit is {max}.':
    'Der Kurzname hat {length} Zeichen. Die Grenze ist {max}.',
  'The slug needs at least two letters or digits.':
    'Der Kurzname braucht mindestens zwei Buchstaben oder Ziffern.',
  'The team': 'Das Team',
  'The upload was canceled. No page was made.': 'Das Hochladen ist abgebrochen. Es gibt keine neue Seite.',
  'This creates a new version with the text and the files of version {version}, and visitors see it. All other versions stay in this list.':
    'Das erstellt eine neue Version mit dem Text und den Dateien von Version {version}, und Besucher sehen sie. Alle anderen Versionen bleiben in dieser Liste.',
  'This deletes the page, its versions, its data, its team and its files. You cannot restore them.':
    'Das löscht die Seite, ihre Versionen, ihre Daten, ihr Team und ihre Dateien. Du kannst sie nicht wiederherstellen.',
  'This draft does not exist any more': 'Diesen Entwurf gibt es nicht mehr',
  'This file is not text, so there are no lines to compare.':
    'Diese Datei ist kein Text, deshalb gibt es keine Zeilen zu vergleichen.',
  'This page has no version {version}.': 'Diese Seite hat keine Version {version}.',
  'This server has none. Use your own files instead.':
    'Dieser Server hat keine. Verwende stattdessen deine eigenen Dateien.',
  'This {fault}.': 'Ungültige Eingabe: {fault}.',
  'Turn off Unlisted first.': 'Schalte zuerst „Nicht gelistet“ aus.',
  'Until (optional)': 'Bis (optional)',
  Uploading: 'Wird hochgeladen',
  'Use a screenshot': 'Bildschirmfoto verwenden',
  'Use your own files': 'Eigene Dateien verwenden',
  'Usernames, one on each line, at most {max}. An e-mail address lets in its account only if the address is confirmed.':
    'Benutzernamen, einer pro Zeile, höchstens {max}. Mit einer E-Mail-Adresse kommt das Konto nur hinein, wenn die Adresse bestätigt ist.',
  Verified: 'Bestätigt',
  Verify: 'Bestätigen',
  'Verify {domain}': '{domain} bestätigen',
  'Visitors enter a password once a week. They do not need an account.':
    'Besucher geben einmal in der Woche ein Passwort ein. Sie brauchen kein Konto.',
  'Visitors pay with their own credits, by the length of the response. They must agree first.':
    'Besucher zahlen mit ihrem eigenen Guthaben, je nach Länge der Antwort. Sie müssen vorher zustimmen.',
  'What data the page stores, and which SDK object its scripts use.':
    'Welche Daten die Seite speichert und welches SDK-Objekt ihre Skripte verwenden.',
  'What it stored as a {mode} is kept, but scripts cannot use it until you change the mode back.':
    'Was sie als {mode} gespeichert hat, bleibt erhalten. Skripte können es aber erst wieder nutzen, wenn du den Modus zurückstellst.',
  'Who can see this page': 'Wer diese Seite sehen kann',
  'With visitors': 'Mit Besuchern',
  Work: 'Arbeit',
  'You have no page at this URL.': 'Du hast keine Seite unter dieser Adresse.',
  'by {owner}': 'von {owner}',
  done: 'fertig',
  'in progress': 'läuft',
  page: 'Seite',
  pages: 'den Seiten',
  remove: 'entfernen',
  'social app': 'Social-App',
  'solo app': 'Solo-App',
  'team app': 'Team-App',
  waiting: 'wartet',
  '{count|{count} file|{count} files}, {size}': '{count|{count} Datei|{count} Dateien}, {size}',
  '{count|{count} page|{count} pages} found': '{count|{count} Seite|{count} Seiten} gefunden',
  '{count|{count} view|{count} views}': '{count|{count} Aufruf|{count} Aufrufe}',
  '{domain} is verified.': '{domain} ist bestätigt.',
  '{length} of {max} characters.': '{length} von {max} Zeichen.',
  '{name} has no index.html at its top. That is the file that visitors see first.':
    '{name} hat keine index.html auf der obersten Ebene. Diese Datei sehen Besucher zuerst.',
  '{name} {fault}.': '{name}: {fault}.',
  '{path} is too large, or it is not UTF-8 text.': '{path} ist zu groß oder kein UTF-8-Text.',
  '{path}, after': '{path}, nachher',
  '{path}, before': '{path}, vorher',
  '{size} of {limit}': '{size} von {limit}',
  '{type} name': 'Name für {type}',
  '{type} value': 'Wert für {type}',
};
