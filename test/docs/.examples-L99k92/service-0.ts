import { listenSettings } from '@bailiwick/service';
import { readSettings } from '@bailiwick/settings';

console.log(readSettings(listenSettings, { BAILIWICK_HOST: '127.0.0.1', PORT: '9000' }));
