import type { BailiwickError } from '@bailiwick/client/errors.ts';
import type { Texts } from './texts.tsx';

/**
 * The messages of a refusal for the fields that they are about. `paths` has the place of each field in
 * the request, such as App.RedirectURIs. With `textOfReason` the message of a reason that names its
 * field is in the user's language.
 */
export function messagesAt<Name extends string>(
  { Problems, Params, Messages, Reason }: BailiwickError,
  paths: Readonly<Partial<Record<Name, string>>>,
  textOfReason: Texts['textOfReason'] = () => undefined,
): Partial<Record<Name, string>> {
  const text = Problems.length > 0 ? undefined : textOfReason(Reason, Params);
  const fields = Problems.length > 0 ? Problems.map(({ Field }) => Field) : [Params['Field'] ?? ''];
  const messages: Partial<Record<Name, string>> = {};
  for (const [at, field] of fields.entries())
    for (const name of Object.keys(paths) as Name[])
      if (isIn(field, paths[name] ?? '')) messages[name] ??= text ?? Messages[at] ?? '';
  return messages;
}

const isIn = (field: string, path: string) =>
  field === path || field.startsWith(`${path}.`) || field.startsWith(`${path}[`);

/** Moves the focus to the first field of a form that is wrong. */
export function focusFirst(form: HTMLElement | null, errors: Readonly<Record<string, unknown>>) {
  const fields = [...(form?.querySelectorAll<HTMLElement>('[data-path]') ?? [])];
  fields.find(({ dataset }) => errors[dataset['path'] ?? ''])?.focus();
}
