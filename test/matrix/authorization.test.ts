import { testAuthorization } from './authorization.ts';

// authorization.long.test.ts calls about every place.
testAuthorization(['own', 'foreign']);
