import { install } from './install.ts';

/** The bundle of pages without data. */
install();
