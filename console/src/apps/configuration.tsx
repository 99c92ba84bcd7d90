import { NativeSelect, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { CodeBlock } from '../parts/code-block.tsx';
import { publicUrl } from '../parts/place.ts';
import { useTexts } from '../parts/texts.tsx';
import type { App, Kind } from './kinds.ts';
import { type ProductName, productNames, productOf, products, snippetsOf } from './products.ts';
import { programOf } from './programs.ts';

type Props = {
  app: App;
  /** The client secret, while it is known. */
  secret?: string;
};

type Target = ProductName | 'program';

/** The configuration of a known product, or the code of a program, with the values of the app. */
export function Configuration({ app, secret }: Props) {
  const { t } = useTexts();
  const [target, setTarget] = useState<Target>(productOf(app.RedirectURIs) ?? 'program');
  const fitting = productNames.filter((name) => products[name].kind === app.Kind);
  return (
    <Stack gap="sm">
      {fitting.length > 0 && (
        <NativeSelect
          label={t('apps.target')}
          value={target}
          data={[
            { value: 'program', label: 'openid-client (Node.js)' },
            ...fitting.map((name) => ({
              value: name,
              label: name === 'kubectl' ? 'kubectl' : products[name].name,
            })),
          ]}
          onChange={({ currentTarget }) => setTarget(currentTarget.value as Target)}
        />
      )}
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

function snippetsFor(app: App, target: Target, secret: string) {
  const { ID, Kind, Scopes, RedirectURIs } = app;
  const connection = { issuer: publicUrl, client: ID, secret };
  if (target === 'program') {
    const [redirect = ''] = RedirectURIs;
    const code = programOf({ ...connection, redirect, kind: Kind as Kind, scopes: Scopes });
    return [{ name: 'openid-client', code }];
  }
  const { path, example } = products[target];
  const match = RedirectURIs.find((uri) => uri.endsWith(path));
  return snippetsOf(target, { ...connection, redirect: match ?? `${example}${path}` });
}
