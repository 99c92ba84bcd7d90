import type { Owner } from '../shell/owner.ts';

/** The address of the list of an owner's providers. */
export const placeOf = ({ at, name }: Owner): string =>
  `${at}/${name === '' ? 'providers' : 'sso'}`;
