import { load } from 'virtual:texts';
import { fill, isolated, placeholdersIn, type Values } from '@bailiwick/texts/fill.ts';
import { createContext, type ReactNode, useContext, useMemo, useState } from 'react';
import type { TextKey } from './text-keys.ts';

// The texts in the user's language. A language is one file, which is loaded when it is needed.

type Catalogue = Readonly<Record<string, string>>;

export const locales: readonly string[] = Object.keys(load).sort();

/** The texts of a language. @throws if the console does not have it */
export async function loadTexts(locale: string): Promise<Catalogue> {
  const loadIt = load[locale];
  if (!loadIt) throw new Error(`there are no texts in ${locale}`);
  return (await loadIt()).default;
}

export type Translate = (key: TextKey, values?: Values) => string;

export type Texts = {
  locale: string;
  t: Translate;
  /** The text for the reason of an error; undefined without one, and if it needs other params. */
  textOfReason: (reason: string, params: Values) => string | undefined;
  /** Shows the text in another language, and keeps the choice for the other pages too. */
  choose: (locale: string) => Promise<void>;
};

/** A newer service may send reasons that have no text here. */
export function textOfReason(
  catalogue: Catalogue,
  reason: string,
  params: Values,
): string | undefined {
  const text = catalogue[`reason.${reason}`];
  const isComplete =
    text !== undefined && placeholdersIn(text).every((name) => Object.hasOwn(params, name));
  return isComplete ? fill(text, params, isolated) : undefined;
}

const TextsContext = createContext<Texts | undefined>(undefined);

type Props = { locale: string; catalogue: Catalogue; children: ReactNode };

export function TextsProvider({ locale, catalogue, children }: Props) {
  const [current, setCurrent] = useState({ locale, catalogue });
  const texts = useMemo<Texts>(
    () => ({
      locale: current.locale,
      t: (key, values = {}) => fill(current.catalogue[key] ?? key, values, isolated),
      textOfReason: (reason, params) => textOfReason(current.catalogue, reason, params),
      async choose(choice) {
        const next = await loadTexts(choice);
        // The gateway reads this cookie for its own pages.
        document.cookie = `bailiwick_locale=${choice}; Path=/; SameSite=Lax`;
        document.documentElement.lang = choice;
        setCurrent({ locale: choice, catalogue: next });
      },
    }),
    [current],
  );
  return <TextsContext value={texts}>{children}</TextsContext>;
}

export function useTexts(): Texts {
  const texts = useContext(TextsContext);
  if (!texts) throw new Error('there are no texts outside of TextsProvider');
  return texts;
}
