import { install } from './install.ts';

/** The bundle of pages that keep no data. */
install();
