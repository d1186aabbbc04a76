// The texts of the page in the language of the settings, known before anything is drawn. Another
// language comes with a reload.

import { settings } from '../state/settings';
import { english } from './en';

// Without the file, for example without a connection, the page speaks English.
const german = settings.peek().language === 'de' ? await import('./de').then((file) => file.german, () => null) : null;

export const strings: typeof english = german ?? english;

document.documentElement.lang = german ? 'de' : 'en';
