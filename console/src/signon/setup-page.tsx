import { Button, List, Paper, SimpleGrid, Skeleton, Stack, Tabs, Text, Title } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useCallback, useEffect } from 'react';
import { useCall, useChange } from '../parts/calls.ts';
import { FailureNotice } from '../parts/failure-notice.tsx';
import { Page } from '../parts/page.tsx';
import { useTexts } from '../parts/texts.tsx';
import { ValuesToCopy } from '../parts/values-to-copy.tsx';
import { useTenant } from '../shell/routes.tsx';
import { OidcForm, SamlForm } from './provider-forms.tsx';
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
  const { Slug } = useTenant();
  const navigate = useNavigate();
  const queries = useQueryClient();
  const name = useNameOf()(service);
  const setup = setupOf(service, protocol);
  const { addresses, error, retry } = useReservation(service, protocol, id);
  // The ID is used up: to save with it again would change the provider, so no way leads back to it.
  const openProvider = async (provider: string) => {
    await navigate({ to: `/console/t/${Slug}/sso/${provider}`, replace: true });
    queries.removeQueries({ queryKey: ['Sso_ReserveProvider'] });
  };
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
              onDone={(provider) => void openProvider(provider)}
            />
          </Paper>
        </Stack>
      </Tabs.Panel>
    </Tabs>
  );
}

type Addresses = { ID: string; RedirectURI: string; AcsURL: string; SpEntityID: string };
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

/**
 * The addresses of the new provider, whose ID is reserved. The ID is in the address of the page, so
 * that a reload does not change the addresses.
 */
function useReservation(service: Service, protocol: Protocol, id: string | undefined) {
  const { ID: Tenant } = useTenant();
  const navigate = useNavigate();
  const { mutate, isIdle, error: reserveError } = useChange('Sso_ReserveProvider');
  const { data, error, refetch } = useCall(
    'Sso_ReserveProvider',
    { Tenant, ID: id ?? '' },
    { enabled: id !== undefined, staleTime: Number.POSITIVE_INFINITY },
  );
  const isGone = error?.Code === 'not_found';
  const show = useCallback(
    (next: SetupSearch) => void navigate({ to: '.', search: next as never, replace: true }),
    [navigate],
  );
  const reserve = useCallback(
    () =>
      mutate(
        { Tenant },
        { onSuccess: ({ Reservation }) => show({ service, protocol, id: Reservation.ID }) },
      ),
    [mutate, show, Tenant, service, protocol],
  );
  useEffect(() => {
    // A provider was saved with it, or it is too old.
    if (isGone) show({ service, protocol });
    else if (id === undefined && isIdle) reserve();
  }, [isGone, id, isIdle, show, reserve, service, protocol]);
  return {
    addresses: data?.Reservation,
    error: isGone ? reserveError : (error ?? reserveError),
    retry: id === undefined ? reserve : () => void refetch(),
  };
}
