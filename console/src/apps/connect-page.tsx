import { Paper, Stack, Text, Title } from '@mantine/core';
import { publicUrl } from '../parts/place.ts';
import { SameByApi } from '../parts/same-by-api.tsx';
import { useTexts } from '../parts/texts.tsx';
import { Time } from '../parts/time.tsx';
import { ValuesToCopy } from '../parts/values-to-copy.tsx';
import { useOwner } from '../shell/owner.ts';
import { AppFrame } from './app-frame.tsx';
import { Configuration } from './configuration.tsx';
import type { App } from './kinds.ts';

/** The values to enter into the application. */
export const ConnectPage = () => (
  <AppFrame tab="connect">{(app) => <Connect app={app} />}</AppFrame>
);

function Connect({ app }: { app: App }) {
  const { t } = useTexts();
  const { scope } = useOwner();
  const { ID, RedirectURIs } = app;
  return (
    <Stack>
      <Paper withBorder p="lg">
        <Stack>
          <Title order={2} size="h4">
            {t('apps.values')}
          </Title>
          <ValuesToCopy
            values={[
              { name: t('apps.issuer'), value: publicUrl },
              { name: t('apps.client'), value: ID },
              ...RedirectURIs.slice(0, 1).map((uri) => ({ name: t('apps.redirect'), value: uri })),
              {
                name: t('apps.discovery'),
                value: `${publicUrl}/.well-known/openid-configuration`,
              },
            ]}
          />
          <SecretState app={app} />
        </Stack>
      </Paper>
      <Paper withBorder p="lg">
        <Stack>
          <Title order={2} size="h4">
            {t('apps.configuration')}
          </Title>
          <Configuration key={ID} app={app} />
        </Stack>
      </Paper>
      <SameByApi operation="Apps_Get" request={{ ...scope, ID }} />
    </Stack>
  );
}

function SecretState({ app }: { app: App }) {
  const { t } = useTexts();
  const { SecretCreatedAt, PreviousSecretUntil } = app;
  if (SecretCreatedAt === undefined) return undefined;
  return (
    <div>
      <Text size="sm" fw={600}>
        {t('apps.secret')}
      </Text>
      <Text size="sm" c="dimmed">
        {t('apps.secretAbout')} {t('apps.secretMade')} <Time at={SecretCreatedAt} />
      </Text>
      {PreviousSecretUntil !== undefined && (
        <Text size="sm" c="dimmed">
          {t('apps.previousUntil')} <Time at={PreviousSecretUntil} />
        </Text>
      )}
    </div>
  );
}
