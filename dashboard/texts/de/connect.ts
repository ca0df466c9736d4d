/** Connecting agents. */
export default {
  'Add an MCP server with the transport “Streamable HTTP” and the URL above.':
    'Füge einen MCP-Server mit dem Transport „Streamable HTTP“ und der Adresse von oben hinzu.',
  'Add this URL to your agent': 'Füge diese Adresse bei deinem Agenten hinzu',
  'Add this to ~/.cursor/mcp.json, or to .cursor/mcp.json in a project:':
    'Füge das in ~/.cursor/mcp.json ein, oder in .cursor/mcp.json in einem Projekt:',
  'Agents and programs that can use your account. Each can do only what you allowed.':
    'Agenten und Programme, die dein Konto verwenden können. Jedes darf nur, was du erlaubt hast.',
  'Also deploy and call functions and use their databases.':
    'Auch Funktionen bereitstellen und aufrufen, und ihre Datenbanken verwenden.',
  'Choose Add, then Connect. Log in here and choose what Claude can do.':
    'Wähle „Add“, dann „Connect“. Melde dich hier an und wähle, was Claude darf.',
  'Choose the plus sign, then Add custom connector. Enter a name and the URL above.':
    'Wähle das Pluszeichen, dann „Add custom connector“. Gib einen Namen und die Adresse von oben ein.',
  'Claude, ChatGPT, Cursor and other agents can publish pages and functions for you.':
    'Claude, ChatGPT, Cursor und andere Agenten können für dich Seiten und Funktionen veröffentlichen.',
  Command: 'Befehl',
  'Command line': 'Befehlszeile',
  Connected: 'Verbunden',
  'Copy the token “{name}” now': 'Kopiere das Token „{name}“ jetzt',
  'Create an app with the URL above as its MCP server, and OAuth as its authentication.':
    'Erstelle eine App mit der Adresse von oben als MCP-Server und OAuth als Authentifizierung.',
  'Create, change and delete pages. No functions, and no data of visitors.':
    'Seiten erstellen, ändern und löschen. Keine Funktionen, und keine Daten von Besuchern.',
  'For agents and programs that cannot log in with a browser. A token works like a password: do not publish it.':
    'Für Agenten und Programme, die sich nicht mit einem Browser anmelden können. Ein Token wirkt wie ein Passwort: Veröffentliche es nicht.',
  'For agents that work in a terminal, and for scripts.':
    'Für Agenten, die in einem Terminal arbeiten, und für Skripte.',
  'For other scopes, <a>make a token in your account</a>.':
    'Für andere Berechtigungen <a>erstelle ein Token in deinem Konto</a>.',
  'For programs that start an MCP server themselves, the command is <code>quire mcp</code>: it uses the same login. <docs>All commands</docs>':
    'Für Programme, die selbst einen MCP-Server starten, ist der Befehl <code>quire mcp</code>: Er verwendet dieselbe Anmeldung. <docs>Alle Befehle</docs>',
  'If it does not support OAuth, use a token.': 'Wenn es OAuth nicht kann, verwende ein Token.',
  'If the program asks for an authentication, choose OAuth. It opens this server to log in.':
    'Wenn das Programm nach einer Authentifizierung fragt, wähle OAuth. Es öffnet diesen Server zum Anmelden.',
  'In ChatGPT on the web, open Settings, then Apps, then Advanced settings. Turn on Developer mode.':
    'Öffne in ChatGPT im Web „Settings“, dann „Apps“, dann „Advanced settings“. Schalte „Developer mode“ ein.',
  'In Claude Code, enter /mcp, choose quire and log in.':
    'Gib in Claude Code /mcp ein, wähle quire und melde dich an.',
  'In Claude, open Customize, then Connectors.': 'Öffne in Claude „Customize“, dann „Connectors“.',
  'In the MCP settings of Cursor, choose the server and log in.':
    'Wähle in den MCP-Einstellungen von Cursor den Server und melde dich an.',
  'Install the command, in a copy of the source of Quire:':
    'Installiere den Befehl, in einer Kopie des Quellcodes von Quire:',
  'It loses access at once. What it made stays. To connect it again, start from the app.':
    'Sie verliert sofort den Zugriff. Was sie gemacht hat, bleibt. Um sie wieder zu verbinden, beginne in der App.',
  'It opens your browser. There you log in and choose what the agent can do.':
    'Er öffnet deinen Browser. Dort meldest du dich an und wählst, was der Agent darf.',
  'Log in here and choose what ChatGPT can do.': 'Melde dich hier an und wähle, was ChatGPT darf.',
  'Log in. It shows a code, and you confirm it in your browser:':
    'Melde dich an. Es erscheint ein Code, den du in deinem Browser bestätigst:',
  'Make a token': 'Ein Token erstellen',
  'Make another token': 'Noch ein Token erstellen',
  'Menus of other programs change. <docs>All clients and their settings</docs>, or <token>use a token</token>.':
    'Menüs anderer Programme ändern sich. <docs>Alle Programme und ihre Einstellungen</docs>, oder <token>verwende ein Token</token>.',
  'Most clients': 'Die meisten Programme',
  'My agent': 'Mein Agent',
  'Never used': 'Nie verwendet',
  'Nothing is connected yet': 'Noch nichts ist verbunden',
  'Only on the page {name}': 'Nur auf der Seite {name}',
  'Or add this to .vscode/mcp.json in a project:': 'Oder füge das in .vscode/mcp.json in einem Projekt ein:',
  Other: 'Andere',
  'Pages and functions': 'Seiten und Funktionen',
  'Programs that use it lose access at once. What they made stays.':
    'Programme, die es verwenden, verlieren sofort den Zugriff. Was sie gemacht haben, bleibt.',
  'Publish a folder:': 'Veröffentliche einen Ordner:',
  'Publish pages': 'Seiten veröffentlichen',
  'Read only': 'Nur lesen',
  'Read pages, functions and data. It cannot change anything, even if it is tricked into trying.':
    'Seiten, Funktionen und Daten lesen. Es kann nichts ändern, auch wenn es dazu verleitet wird.',
  'Revoke the token {name}?': 'Token {name} widerrufen?',
  'Revoked the token {name}.': 'Token {name} widerrufen.',
  'Run this in a terminal:': 'Führe das in einem Terminal aus:',
  'Start the server from the list of MCP servers and log in.':
    'Starte den Server aus der Liste der MCP-Server und melde dich an.',
  'The connections cannot be checked at the moment.': 'Die Verbindungen können gerade nicht geprüft werden.',
  'Use the command line': 'Die Befehlszeile verwenden',
  'Waiting for an agent to connect. This changes by itself.':
    'Es wird auf einen Agenten gewartet. Das ändert sich von selbst.',
  'Ways to connect': 'Wege zum Verbinden',
  'What it can do': 'Was es darf',
  'When an agent connects, it appears here with its last use.':
    'Wenn sich ein Agent verbindet, erscheint er hier mit seiner letzten Verwendung.',
  'With a URL': 'Mit einer Adresse',
  'With a token': 'Mit einem Token',
  'You cannot see it again. It works until {date}, or until you log out of this browser.':
    'Du kannst es nicht noch einmal sehen. Es gilt bis {date}, oder bis du dich in diesem Browser abmeldest.',
  'Your agent': 'Dein Agent',
  'from {origin}': 'von {origin}',
  '{client} runs on the internet and cannot reach {host}. Give this server a public https address first.':
    '{client} läuft im Internet und kann {host} nicht erreichen. Gib diesem Server zuerst eine öffentliche https-Adresse.',
  '{count|One agent is connected.|{count} agents are connected.} Waiting for another.':
    '{count|Ein Agent ist verbunden.|{count} Agenten sind verbunden.} Es wird auf einen weiteren gewartet.',
  '{count|One permission|{count} permissions}': '{count|Eine Berechtigung|{count} Berechtigungen}',
  '{name} is connected.': '{name} ist verbunden.',
};
