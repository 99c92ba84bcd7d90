// JSON paths in error messages: `Group.Metadata["k"]`, `Roles[2]`.

const plainKey = /^[A-Za-z_]\w{0,63}$/;

/** The path of a key in the object at `path`. Map keys are written in brackets, even if they look like a field. */
export const fieldPath = (path: string, key: string): string => {
  if (!plainKey.test(key)) return mapPath(path, key);
  return path === '' ? key : `${path}.${key}`;
};

export const mapPath = (path: string, key: string): string =>
  `${path}[${JSON.stringify(shorten(key))}]`;

export const itemPath = (path: string, index: number | bigint): string => `${path}[${index}]`;

/** Whether `unreadable` contains the path, a path that encloses it, or a path inside it. */
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

/** The JSON path of the field that a message begins with; '' for a message about no field. */
export const fieldAtStart = (message: string): string =>
  /^[A-Z]\w*(?:\.\w+|\[(?:\d+|"(?:[^"\\]|\\.)*")\])*(?= )/.exec(message)?.[0] ?? '';

/** Shortens a key, which a client can send in unlimited length. */
function shorten(key: string): string {
  const characters = Array.from(key.slice(0, 128));
  return characters.length > 40 ? `${characters.slice(0, 40).join('')}…` : key;
}
