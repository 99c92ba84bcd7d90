import { TagsInput } from '@mantine/core';
import { useTexts } from '../parts/texts.tsx';
import { identityScopes, type Kind } from './kinds.ts';

// The fields that a new app and a stored one have in common. Each takes the props of its input.

type Props = { kind: Kind; value?: string[]; onChange?: (value: string[]) => void };

export function RedirectsField({ kind, ...props }: Props) {
  const { t } = useTexts();
  return (
    <TagsInput
      {...props}
      label={t('apps.redirects')}
      description={t(kind === 'native' ? 'apps.redirectsNative' : 'apps.redirectsAbout')}
      placeholder={kind === 'native' ? 'http://localhost:8000' : 'https://app.example.com/callback'}
      splitChars={[' ', ',']}
      acceptValueOnBlur
    />
  );
}

export function ScopesField({ kind, ...props }: Props) {
  const { t } = useTexts();
  return (
    <TagsInput
      {...props}
      label={t('apps.scopes')}
      description={t(kind === 'service' ? 'apps.scopesService' : 'apps.scopesAbout')}
      data={kind === 'service' ? [] : [...identityScopes]}
      splitChars={[' ', ',']}
      acceptValueOnBlur
    />
  );
}
