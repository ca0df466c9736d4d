/** What is wrong with a value. The name of the value comes before it. */
export default {
  ', or {end}': ', oder {end}',
  'a name in double quotes': 'ein Name in doppelten Anführungszeichen',
  'a value': 'ein Wert',
  'at most {max} levels': 'höchstens {max} Ebenen',
  'differs from {other} only in upper and lower case':
    'unterscheidet sich von {other} nur in Groß- und Kleinschreibung',
  'expected {expected}, found {found}': 'erwartet: {expected}, gefunden: {found}',
  'is a file, but {inside} needs a folder of that name':
    'ist eine Datei, aber {inside} braucht einen Ordner mit diesem Namen',
  'is not a field of the schema': 'ist kein Feld des Schemas',
  'is required': 'ist erforderlich',
  'is there twice': 'ist doppelt vorhanden',
  'is too long to be matched with {pattern}': 'ist zu lang, um mit {pattern} geprüft zu werden',
  'must be a date in ISO 8601, like {day} or {moment}':
    'muss ein Datum nach ISO 8601 sein, etwa {day} oder {moment}',
  'must be a number': 'muss eine Zahl sein',
  'must be a string': 'muss ein Text sein',
  'must be a whole number from {min} to {max}': 'muss eine ganze Zahl von {min} bis {max} sein',
  'must be an array': 'muss eine Liste sein',
  'must be an e-mail address': 'muss eine E-Mail-Adresse sein',
  'must be an object': 'muss ein Objekt sein',
  'must be at least {min}': 'muss mindestens {min} sein',
  'must be at most {max}': 'darf höchstens {max} sein',
  'must be one of {values}': 'muss einer dieser Werte sein: {values}',
  'must be relative to the page': 'muss relativ zur Seite sein',
  'must be true or false': 'muss true oder false sein',
  'must have at least {min} characters': 'muss mindestens {min} Zeichen haben',
  'must have at most {max} bytes': 'darf höchstens {max} Bytes haben',
  'must have at most {max} characters': 'darf höchstens {max} Zeichen haben',
  'must have at most {max} names between slashes': 'darf höchstens {max} Namen zwischen Schrägstrichen haben',
  'must match {pattern}': 'muss zu {pattern} passen',
  'must not begin with {start}, which the service uses itself':
    'darf nicht mit {start} beginnen, das der Dienst selbst verwendet',
  'must not be empty': 'darf nicht leer sein',
  'must not contain . or .. as a segment': 'darf . oder .. nicht als Abschnitt enthalten',
  'must not contain a backslash; separate folders with /':
    'darf keinen Backslash enthalten; trenne Ordner mit /',
  'must not contain control characters': 'darf keine Steuerzeichen enthalten',
  'must not have a name of more than {max} bytes': 'darf keinen Namen mit mehr als {max} Bytes haben',
  'must not have a name that starts with a dot ({name})':
    'darf keinen Namen haben, der mit einem Punkt beginnt ({name})',
  'must not have an empty segment': 'darf keinen leeren Abschnitt haben',
  'needs a folder where {file} is a file': 'braucht einen Ordner, wo {file} eine Datei ist',
  'the end of the text': 'das Ende des Textes',
};
