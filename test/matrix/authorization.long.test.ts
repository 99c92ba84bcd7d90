import { testAuthorization } from './authorization.ts';
import { placeNames } from './world.ts';

testAuthorization(placeNames);
