import { Anchor, NativeSelect, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { CodeBlock } from '../parts/code-block.tsx';
import { pageAt, publicUrl } from '../parts/place.ts';
import { useTexts } from '../parts/texts.tsx';
import { type FrameworkName, frameworkNames, frameworks, setupOf } from './frameworks.ts';
import type { App, Kind } from './kinds.ts';
import { type ProductName, productNames, productOf, products, snippetsOf } from './products.ts';
import { programOf } from './programs.ts';

type Props = {
  app: App;
  /** The client secret, while it is known. */
  secret?: string;
};

type Target = ProductName | FrameworkName | 'program';

/** The configuration of a framework, a known product or a program, with the values of the app. */
export function Configuration({ app, secret }: Props) {
  const { t } = useTexts();
  const [target, setTarget] = useState<Target>(productOf(app.RedirectURIs) ?? 'program');
  const targets = targetsOf(app.Kind);
  return (
    <Stack gap="sm">
      {targets.length > 1 && (
        <NativeSelect
          label={t('apps.target')}
          value={target}
          data={targets}
          onChange={({ currentTarget }) => setTarget(currentTarget.value as Target)}
        />
      )}
      {isFramework(target) && <FrameworkGuide app={app} name={target} />}
      {snippetsFor(app, target, secret ?? t('apps.yourSecret')).map(({ name, code }) => (
        <div key={name}>
          <Text size="sm" fw={600} mb={4}>
            {name}
          </Text>
          <CodeBlock code={code} name={name} />
        </div>
      ))}
    </Stack>
  );
}

const isFramework = (target: Target): target is FrameworkName =>
  frameworkNames.some((name) => name === target);

const targetsOf = (kind: string): Array<{ value: Target; label: string }> => [
  ...frameworkNames
    .filter((name) => frameworks[name].kind === kind)
    .map((name) => ({ value: name, label: frameworks[name].name })),
  { value: 'program', label: 'openid-client (Node.js)' },
  ...productNames
    .filter((name) => products[name].kind === kind)
    .map((name) => ({ value: name, label: name === 'kubectl' ? 'kubectl' : products[name].name })),
];

/** The way to the whole program, and the address that it needs. */
function FrameworkGuide({ app, name }: { app: App; name: FrameworkName }) {
  const { t } = useTexts();
  const connection = { issuer: publicUrl, client: app.ID, secret: '' };
  const { redirect, isMissing } = setupOf(name, app.RedirectURIs, connection);
  const address = pageAt(`docs/guides/add-sign-in/#${frameworks[name].anchor}`);
  return (
    <Text size="sm">
      {isMissing && `${t('apps.addRedirect', { address: redirect })} `}
      <Anchor size="sm" href={address} target="_blank">
        {t('apps.wholeProgram', { name: frameworks[name].name })}
      </Anchor>
    </Text>
  );
}

function snippetsFor(app: App, target: Target, secret: string) {
  const { ID, Kind, Scopes, RedirectURIs } = app;
  const connection = { issuer: publicUrl, client: ID, secret };
  if (isFramework(target)) return setupOf(target, RedirectURIs, connection).snippets;
  if (target === 'program') {
    const [redirect = ''] = RedirectURIs;
    const code = programOf({ ...connection, redirect, kind: Kind as Kind, scopes: Scopes });
    return [{ name: 'openid-client', code }];
  }
  const { path, example } = products[target];
  const match = RedirectURIs.find((uri) => uri.endsWith(path));
  return snippetsOf(target, { ...connection, redirect: match ?? `${example}${path}` });
}
