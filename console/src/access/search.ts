import { type Holder, holders } from '../grants/grant-kinds.ts';
import { type CursorSearch, readCursor } from '../parts/cursor.ts';
import { type ListSearch, readListSearch } from '../parts/list-search.ts';

// The parts of the addresses of these views, so that each view can be shared.

type Search = Record<string, unknown>;

const textIn = (search: Search, name: string): string => {
  const text = search[name];
  return typeof text === 'string' ? text : '';
};

/** The group that is shown; without one, the list of groups. */
export const readGroup = (search: Search): ListSearch & CursorSearch & { group?: string } => {
  const group = textIn(search, 'group');
  return { ...readListSearch(search), ...(group !== '' && { group }) };
};

/** The role that is shown; without one, the list of roles. */
export const readRole = (search: Search): CursorSearch & { role?: string } => {
  const role = textIn(search, 'role');
  return { ...readCursor(search), ...(role !== '' && { role }) };
};

/** The grants that are listed: of people, groups or bots, of one of them, of one role. */
export type GrantSearch = CursorSearch & { of?: Holder; holder?: string; role?: string };

export const readGrants = (search: Search): GrantSearch => {
  const of = holders.find((one) => one === search['of']);
  const [holder, role] = [textIn(search, 'holder'), textIn(search, 'role')];
  return {
    ...readCursor(search),
    ...(of && { of }),
    ...(holder !== '' && { holder }),
    ...(role !== '' && { role }),
  };
};

/** The question whether and why a person or a bot may do something. */
export type Question = { subject?: string; permission?: string; resource?: string };

export const readQuestion = (search: Search): Question =>
  Object.fromEntries(
    ['subject', 'permission', 'resource']
      .map((name) => [name, textIn(search, name)])
      .filter(([, text]) => text !== ''),
  ) as Question;
