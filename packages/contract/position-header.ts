/**
 * The header of positions: a change returns the position in the database that has it, and a list
 * with the positions of the caller's last changes may be answered by a replica that has them too.
 */
export const positionHeader = 'bailiwick-position';

/** Sealed positions, separated by commas. Their number and lengths are limited. */
export const arePositions = (text: string): boolean =>
  /^[\w.-]{1,200}(?:, ?[\w.-]{1,200}){0,15}$/.test(text);
