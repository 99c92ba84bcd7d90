import { Button, List, Paper, SimpleGrid, Skeleton, Stack, Tabs, Text, Title } from '@mantine/core';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useCallback } from 'react';
import { FailureNotice } from '../parts/failure-notice.tsx';
import { Page } from '../parts/page.tsx';
import { useTexts } from '../parts/texts.tsx';
import { ValuesToCopy } from '../parts/values-to-copy.tsx';
import { useTenant } from '../shell/routes.tsx';
import { OidcForm, SamlForm } from './provider-forms.tsx';
import { type Addresses, useReservation } from './reservation.ts';
import {
  nameOf,
  type Protocol,
  protocolsOf,
  readSetup,
  type Service,
  type Setup,
  type SetupSearch,
  serviceNames,
  setupOf,
} from './setups.ts';

/** The set-up of a provider, step by step. The choices are in the address. */
export function SetupPage() {
  const { t } = useTexts();
  const { Slug } = useTenant();
  const { service, protocol, id } = readSetup(useSearch({ strict: false }));
  const back = { to: `/console/t/${Slug}/sso`, text: t('signon.sso') };
  return (
    <Page title={t('signon.addProvider')} back={back} description={t('signon.setupAbout')}>
      {service === undefined ? (
        <Services />
      ) : (
        <Steps service={service} protocol={protocol ?? protocolsOf(service)[0] ?? 'oidc'} id={id} />
      )}
    </Page>
  );
}

const useNameOf = () => {
  const { t } = useTexts();
  return (service: Service) => nameOf(service) || t('signon.other');
};

function Services() {
  const { t } = useTexts();
  const { Slug } = useTenant();
  const nameOf = useNameOf();
  return (
    <Stack>
      <Title order={2} size="h4">
        {t('signon.chooseService')}
      </Title>
      <SimpleGrid cols={{ base: 1, xs: 2, md: 3 }}>
        {serviceNames.map((service) => (
          <Button
            key={service}
            component={Link}
            to={`/console/t/${Slug}/sso/new?service=${service}`}
            variant="default"
            size="lg"
            justify="start"
          >
            {nameOf(service)}
          </Button>
        ))}
      </SimpleGrid>
    </Stack>
  );
}

type StepsProps = { service: Service; protocol: Protocol; id: string | undefined };

function Steps({ service, protocol, id }: StepsProps) {
  const { t } = useTexts();
  const { ID: Tenant, Slug } = useTenant();
  const navigate = useNavigate();
  const name = useNameOf()(service);
  const setup = setupOf(service, protocol);
  const show = useCallback(
    (reserved?: string) => {
      const search: SetupSearch = { service, protocol, ...(reserved && { id: reserved }) };
      void navigate({ to: '.', search: search as never, replace: true });
    },
    [navigate, service, protocol],
  );
  const { addresses, error, retry, open } = useReservation({ tenant: Tenant, id, show });
  const choose = (next: string | null) =>
    void navigate({ to: '.', search: { service, protocol: next, id } as never });
  const Form = protocol === 'oidc' ? OidcForm : SamlForm;
  if (error) return <FailureNotice error={error} onRetry={retry} />;
  if (!addresses) return <Skeleton height={240} aria-busy="true" />;
  return (
    <Tabs value={protocol} onChange={choose} activateTabWithKeyboard={false}>
      <Tabs.List aria-label={t('signon.protocol')}>
        {protocolsOf(service).map((one) => (
          <Tabs.Tab key={one} value={one}>
            {one === 'oidc' ? 'OpenID Connect' : 'SAML'}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      <Tabs.Panel value={protocol} pt="md">
        <Stack>
          <Paper withBorder p="lg">
            <Title order={2} size="h4" mb="sm">
              {t('signon.stepThere', { name })}
            </Title>
            <Instructions name={name} setup={setup} addresses={addresses} protocol={protocol} />
          </Paper>
          <Paper withBorder p="lg">
            <Title order={2} size="h4" mb="sm">
              {t('signon.stepHere')}
            </Title>
            <Form
              key={`${service} ${protocol}`}
              id={addresses.ID}
              name={name}
              setup={setup}
              onDone={(provider) => void open(`/console/t/${Slug}/sso/${provider}`)}
            />
          </Paper>
        </Stack>
      </Tabs.Panel>
    </Tabs>
  );
}

type InstructionsProps = {
  name: string;
  setup: Setup;
  addresses: Addresses;
  protocol: Protocol;
};

/** The steps in the provider's own console. */
function Instructions({ name, setup, addresses, protocol }: InstructionsProps) {
  const { t } = useTexts();
  const { path, notes = [], copies = '', redirect = '', acs = '', entity = '' } = setup;
  const values =
    protocol === 'oidc'
      ? [{ name: redirect, value: addresses.RedirectURI }]
      : [
          { name: acs, value: addresses.AcsURL },
          { name: entity, value: addresses.SpEntityID },
        ];
  return (
    <List type="ordered" spacing="sm">
      {path !== undefined && (
        <List.Item>{t('signon.setupOpen', { name: setup.console ?? name, path })}</List.Item>
      )}
      {notes.map((note) => (
        <List.Item key={note}>{t(note)}</List.Item>
      ))}
      <List.Item>
        <Text mb="xs">{t('signon.setupEnter')}</Text>
        <ValuesToCopy values={values} />
      </List.Item>
      <List.Item>{t('signon.setupCopy', { values: copies })}</List.Item>
    </List>
  );
}
