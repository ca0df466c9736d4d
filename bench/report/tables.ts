import { writeDocument } from './benchmarks.ts';
import { readResults } from './results.ts';

/** Writes the tables of `bench/README.md` from the files in `bench/results`, after an edit of figures or goals. */
await writeDocument(readResults());
