import { Button, List, Paper, SimpleGrid, Stack, Tabs, Title } from '@mantine/core';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { Page } from '../parts/page.tsx';
import { publicUrl } from '../parts/place.ts';
import { useTexts } from '../parts/texts.tsx';
import { useTenant } from '../shell/routes.tsx';
import { OidcForm, SamlForm } from './provider-forms.tsx';
import { readSetup, type Service, serviceNames, services, setupOf } from './setups.ts';

/** The set-up of a provider, step by step. The choices are in the address. */
export function SetupPage() {
  const { t } = useTexts();
  const { Slug } = useTenant();
  const { service, protocol = 'oidc' } = readSetup(useSearch({ strict: false }));
  const back = { to: `/console/t/${Slug}/sso`, text: t('signon.sso') };
  return (
    <Page title={t('signon.addProvider')} back={back} description={t('signon.setupAbout')}>
      {service === undefined ? <Services /> : <Steps service={service} protocol={protocol} />}
    </Page>
  );
}

const useNameOf = () => {
  const { t } = useTexts();
  return (service: Service) => (service === 'other' ? t('signon.other') : serviceNames[service]);
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
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        {services.map((service) => (
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

function Steps({ service, protocol }: { service: Service; protocol: 'oidc' | 'saml' }) {
  const { t } = useTexts();
  const { Slug } = useTenant();
  const navigate = useNavigate();
  const name = useNameOf()(service);
  const setup = setupOf(service, protocol);
  const openProvider = (id: string) => void navigate({ to: `/console/t/${Slug}/sso/${id}` });
  const choose = (next: string | null) =>
    void navigate({ to: '.', search: { service, protocol: next } as never });
  const Form = protocol === 'oidc' ? OidcForm : SamlForm;
  return (
    <Tabs value={protocol} onChange={choose} activateTabWithKeyboard={false}>
      <Tabs.List aria-label={t('signon.protocol')}>
        <Tabs.Tab value="oidc">OpenID Connect</Tabs.Tab>
        <Tabs.Tab value="saml">SAML</Tabs.Tab>
      </Tabs.List>
      <Tabs.Panel value={protocol} pt="md">
        <Stack>
          <Paper withBorder p="lg">
            <Title order={2} size="h4" mb="sm">
              {t('signon.stepThere', { name })}
            </Title>
            <List type="ordered" spacing="xs">
              {setup.steps.map((step) => (
                <List.Item key={step}>{t(step, { url: publicUrl })}</List.Item>
              ))}
            </List>
          </Paper>
          <Paper withBorder p="lg">
            <Title order={2} size="h4" mb="sm">
              {t('signon.stepHere')}
            </Title>
            <Form key={`${service} ${protocol}`} name={name} setup={setup} onDone={openProvider} />
          </Paper>
        </Stack>
      </Tabs.Panel>
    </Tabs>
  );
}
