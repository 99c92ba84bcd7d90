import { Card, SimpleGrid, Stack, Text, Title } from '@mantine/core';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { Icon, type IconName } from '../parts/icon.tsx';
import { Page } from '../parts/page.tsx';
import { ShownOnce } from '../parts/shown-once.tsx';
import { useTexts } from '../parts/texts.tsx';
import { useOwner } from '../shell/owner.ts';
import { readChoice } from './choice.ts';
import { Configuration } from './configuration.tsx';
import { type App, kinds, kindTexts } from './kinds.ts';
import { KindForm, ProductForm } from './new-app-forms.tsx';
import { productNames, products } from './products.ts';

type NewApp = { app: App; secret: string };

/** A new app in two steps. The choice of the first one is in the address. */
export function NewAppPage() {
  const { t } = useTexts();
  const { at } = useOwner();
  const navigate = useNavigate();
  const { product, kind } = readChoice(useSearch({ strict: false }));
  const [newApp, setNewApp] = useState<NewApp>();
  const open = ({ ID }: App) => void navigate({ to: `${at}/apps/${ID}` });
  const finish = (next: NewApp) => (next.secret === '' ? open(next.app) : setNewApp(next));
  const chosen = product ?? kind;
  return (
    <Page
      title={product ? t('apps.connectProduct', { name: products[product].name }) : t('apps.add')}
      description={kind && t(kindTexts[kind].description)}
      back={
        chosen === undefined
          ? { to: `${at}/apps`, text: t('apps.apps') }
          : { to: `${at}/apps/new`, text: t('apps.add') }
      }
    >
      {chosen === undefined && <Choices />}
      {product && <ProductForm key={product} product={product} onDone={finish} />}
      {kind && <KindForm key={kind} kind={kind} onDone={finish} />}
      {newApp && (
        <ShownOnce title={newApp.app.Name} secret={newApp.secret} onClose={() => open(newApp.app)}>
          <Configuration app={newApp.app} secret={newApp.secret} />
        </ShownOnce>
      )}
    </Page>
  );
}

function Choices() {
  const { t } = useTexts();
  return (
    <Stack gap="lg">
      <Title order={2} size="h4">
        {t('apps.known')}
      </Title>
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        {productNames.map((product) => (
          <Choice
            key={product}
            search={`product=${product}`}
            icon="app"
            title={product === 'kubectl' ? 'kubectl' : products[product].name}
            description={t(products[product].example === '' ? 'apps.knownHere' : 'apps.knownAbout')}
          />
        ))}
      </SimpleGrid>
      <Title order={2} size="h4">
        {t('apps.other')}
      </Title>
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        {kinds.map((kind) => (
          <Choice
            key={kind}
            search={`kind=${kind}`}
            icon={kindTexts[kind].icon}
            title={t(kindTexts[kind].text)}
            description={t(kindTexts[kind].description)}
          />
        ))}
      </SimpleGrid>
    </Stack>
  );
}

type ChoiceProps = { search: string; icon: IconName; title: string; description: string };

function Choice({ search, icon, title, description }: ChoiceProps) {
  const { at } = useOwner();
  return (
    <Card component={Link} to={`${at}/apps/new?${search}`} withBorder padding="md">
      <Text component="span" fw={600} c="var(--mantine-color-anchor)">
        <Icon name={icon} size={16} /> {title}
      </Text>
      <Text component="span" size="sm" c="dimmed">
        {description}
      </Text>
    </Card>
  );
}
