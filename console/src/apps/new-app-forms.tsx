import { TextInput } from '@mantine/core';
import { CallForm } from '../parts/call-form.tsx';
import { useTexts } from '../parts/texts.tsx';
import { ValuesToCopy } from '../parts/values-to-copy.tsx';
import { useOwner } from '../shell/owner.ts';
import { RedirectsField, ScopesField } from './fields.tsx';
import { type App, hasRedirects, type Kind, usualScopes } from './kinds.ts';
import { type ProductName, products, redirectOf } from './products.ts';

type Props = { onDone: (made: { app: App; secret: string }) => void };

const stale = ['Apps_List'] as const;

/** An app for a known product, from the product's address alone. */
export function ProductForm({ product, onDone }: Props & { product: ProductName }) {
  const { t } = useTexts();
  const { scope } = useOwner();
  const { name, kind, scopes, example, signedOut } = products[product];
  const hasAddress = example !== '';
  return (
    <CallForm
      operation="Apps_Save"
      initial={{ name, home: '' }}
      check={({ name, home }) => ({
        name: name.trim() === '' ? t('apps.nameMissing') : null,
        home: hasAddress && !URL.canParse(home.trim()) ? t('apps.homeMissing') : null,
      })}
      toRequest={({ name, home }) => ({
        App: {
          ...scope,
          Name: name.trim(),
          Kind: kind,
          RedirectURIs: [redirectOf(product, home)],
          ...(signedOut !== undefined && {
            PostLogoutRedirectURIs: [`${home.trim().replace(/\/+$/, '')}${signedOut}`],
          }),
          Scopes: [...scopes],
        },
      })}
      stale={stale}
      onDone={({ App, ClientSecret }) => onDone({ app: App, secret: ClientSecret })}
      submit={t('apps.create')}
    >
      {(form) => (
        <>
          <NameField {...form.getInputProps('name')} />
          {hasAddress && (
            <TextInput
              {...form.getInputProps('home')}
              label={t('apps.home', { name })}
              placeholder={example}
              inputMode="url"
              autoComplete="off"
              spellCheck={false}
            />
          )}
          <ValuesToCopy
            values={[
              { name: t('apps.redirect'), value: redirectOf(product, form.values.home || example) },
            ]}
          />
        </>
      )}
    </CallForm>
  );
}

/** An app of one kind. */
export function KindForm({ kind, onDone }: Props & { kind: Kind }) {
  const { t } = useTexts();
  const { scope } = useOwner();
  const needsRedirect = hasRedirects(kind);
  return (
    <CallForm
      operation="Apps_Save"
      initial={{ name: '', redirects: [] as string[], scopes: usualScopes(kind) }}
      check={({ name, redirects }) => ({
        name: name.trim() === '' ? t('apps.nameMissing') : null,
        redirects: needsRedirect && redirects.length === 0 ? t('apps.redirectMissing') : null,
      })}
      toRequest={({ name, redirects, scopes }) => ({
        App: {
          ...scope,
          Name: name.trim(),
          Kind: kind,
          ...(needsRedirect && { RedirectURIs: redirects }),
          Scopes: scopes,
        },
      })}
      stale={stale}
      onDone={({ App, ClientSecret }) => onDone({ app: App, secret: ClientSecret })}
      submit={t('apps.create')}
    >
      {(form) => (
        <>
          <NameField {...form.getInputProps('name')} />
          {needsRedirect && <RedirectsField kind={kind} {...form.getInputProps('redirects')} />}
          <ScopesField kind={kind} {...form.getInputProps('scopes')} />
        </>
      )}
    </CallForm>
  );
}

function NameField(props: object) {
  const { t } = useTexts();
  return (
    <TextInput
      {...props}
      label={t('apps.name')}
      description={t('apps.nameAbout')}
      maxLength={128}
      autoComplete="off"
    />
  );
}
