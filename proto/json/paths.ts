// JSON paths as the messages of a refusal name them: `Group.Metadata["k"]`, `Roles[2]`.

const plainKey = /^[A-Za-z_]\w{0,63}$/;

/** The path of a key in the object at `path`. Keys of maps are written in brackets, also where they look like a field. */
export const fieldPath = (path: string, key: string): string => {
  if (!plainKey.test(key)) return mapPath(path, key);
  return path === '' ? key : `${path}.${key}`;
};

export const mapPath = (path: string, key: string): string =>
  `${path}[${JSON.stringify(shorten(key))}]`;

export const itemPath = (path: string, index: number | bigint): string => `${path}[${index}]`;

/** Whether the value at a path, a value around it in a list or map, or a record around it is one of `unreadable`. */
export function isUnreadable(path: string, unreadable: ReadonlySet<string>): boolean {
  const isPart = (whole: string, part: string, marks: string) =>
    part.startsWith(whole) && marks.includes(part.charAt(whole.length));
  return (
    path !== '' &&
    [...unreadable].some(
      (other) => other === path || isPart(other, path, '.[') || isPart(path, other, '['),
    )
  );
}

/** The path that a message for clients begins with. */
export const pathOf = (message: string): string => message.split(' ', 1)[0] ?? '';

/** Keys are the client's own text of any length. */
function shorten(key: string): string {
  const characters = Array.from(key.slice(0, 128));
  return characters.length > 40 ? `${characters.slice(0, 40).join('')}…` : key;
}
