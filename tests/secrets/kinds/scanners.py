"""Keys of clouds, forges, models and payments that the lists of scanners and forges name besides."""

from __future__ import annotations

from tests.secrets.kinds import in_context, keyed, tokens

KINDS = [
    *tokens("hosting", (
        ("aikido-ci-token", "AIKIDO_TOKEN", "AIK_CI_<alnum:32>"),
        ("aikido-client-secret", "AIKIDO_CLIENT_SECRET", "AIK_SECRET_<alnum:64>"),
        ("bitbucket-server-token", "BITBUCKET_SERVER_TOKEN", "BBDC-<b64:44>"),
        ("bitrise-workspace-token", "BITRISE_TOKEN", "bitwat_<b64url:86>"),
        ("buildkite-portal-secret", "BUILDKITE_PORTAL_SECRET", "bkps_Mw_<hex:59>"),
        ("buildkite-portal-token", "BUILDKITE_PORTAL_TOKEN", "bkpat_MTQ_<hex:40>"),
        ("buildkite-registration-token", "BUILDKITE_AGENT_TOKEN", "bkar_MTU.<alnum:76>"),
        ("buildkite-session-token", "BUILDKITE_AGENT_ACCESS_TOKEN", "bkaa_MTA.<alnum:76>"),
        ("cloudsmith-token", "CLOUDSMITH_API_KEY", "csa_<hex:30><alnum:6>"),
        ("mergify-key", "MERGIFY_KEY", "mergify_application_key_<b64url:64>"),
        ("nexus-npm-token", "NEXUS_TOKEN", "NpmToken.<uuid>"),
    )),
    *keyed("hosting", (
        ("appcenter-token", "APPCENTER_TOKEN", "<hex:40>"),
        ("codemagic-token", "CODEMAGIC_TOKEN", "<alnum:43>"),
        ("endor-labs-key", "ENDORLABS_SECRET", "endr+<alnum:16>"),
        ("jenkins-api-token", "JENKINS_TOKEN", "11<hex:32>"),
        ("knapsackpro-token", "KNAPSACK_PRO_TEST_SUITE_TOKEN", "<hex:32>"),
        ("packagecloud-api-token", "PACKAGECLOUD_TOKEN", "<hex:48>"),
        ("qase-token", "QASE_API_TOKEN", "<hex:40>"),
        ("scrutinizer-token", "SCRUTINIZER_TOKEN", "<hex:64>"),
        ("semaphore-token", "SEMAPHORECI_TOKEN", "<hex:32>"),
    )),
    *tokens("cloud", (
        ("alibaba-sts-token", "ALIBABA_CLOUD_SECURITY_TOKEN", "CAIS<b64:400>"),
        ("baidu-access-key", "BCE_ACCESS_KEY", "ALTAK<alnum:21>"),
        ("baidu-qianfan-key", "QIANFAN_API_KEY", "bce-v3/ALTAK-<alnum:21>/<hex:40>"),
        ("databricks-oauth-secret-mixed", "DATABRICKS_CLIENT_SECRET", "dose<alnum:32>"),
        ("elastic-cloud-management-key", "EC_API_KEY", "essu_<b64url:140>=="),
        ("ncloud-access-key", "NCLOUD_ACCESS_KEY", "ncp_iam_BPASKR<alnum:14>"),
        ("ncloud-secret-key", "NCLOUD_SECRET_KEY", "ncp_iam_BPKSKR<alnum:34>"),
        ("porkbun-secret", "PORKBUN_SECRET_KEY", "sk1_<hex:64>"),
        ("saladcloud-key", "SALAD_API_KEY", "salad_cloud_user_<alnum:40>"),
        ("tencent-international-id", "TENCENTCLOUD_SECRET_ID", "IKID<alnum:32>"),
        ("yandex-captcha-key", "SMARTCAPTCHA_SERVER_KEY", "ysc2_<alnum:48>"),
    )),
    *tokens("identity", (
        ("azure-refresh-token", "AZURE_REFRESH_TOKEN", "0.AX<b64url:80>.AgAB<b64url:400>"),
        ("okta-token-alone", "OKTA_CLIENT_TOKEN", "00q<b64url:37>aX"),
    )),
    *keyed("identity", (
        ("jupiterone-key", "JUPITERONE_KEY", "<alnum:76>"),
        ("loginradius-key", "LOGINRADIUS_KEY", "<uuid>"),
        ("passbase-key", "PASSBASE_KEY", "<alnum:128>"),
        ("wiz-secret", "WIZ_CLIENT_SECRET", "<alnum:64>"),
    )),
    *in_context("identity", (
        ("bitwarden-token-in-command", (
            "BWS_ACCESS_TOKEN=«0.<uuid>.<alnum:30>:<b64:22>==»",
            "bws secret list --access-token «0.<uuid>.<alnum:30>:<b64:22>==»",
            "log in to Bitwarden with «0.<uuid>.<alnum:30>:<b64:22>==»",
        )),
        ("bitwarden-client-secret", (
            '  "user_<uuid>_token_apiKeyClientSecret": "«<alnum:30>»",',
        )),
    )),
    *tokens("models", (
        ("amp-token", "AMP_API_KEY", "sgamp_user_<uppernum:26>_<hex:64>"),
        ("context7-key", "CONTEXT7_API_KEY", "ctx7sk-<uuid>"),
        ("devin-service-key", "DEVIN_API_KEY", "apk_<b64:96>"),
        ("devin-service-token", "DEVIN_API_KEY", "cog_<lower:26>2<lower:25>"),
        ("devin-user-key", "DEVIN_API_KEY", "apk_user_<b64:160>"),
        ("minimax-key", "MINIMAX_API_KEY", "sk-api-<b64url:118>x"),
        ("voiceflow-key", "VOICEFLOW_API_KEY", "VF.DM.<hex:24>.<alnum:16>"),
        ("you-search-key", "YDC_API_KEY", "ydc-sk-<hex:16>-<alnum:32>-<hex:8>"),
    )),
    *keyed("models", (
        ("deepai-key", "DEEPAI_KEY", "<uuid>"),
        ("greptile-key", "GREPTILE_API_KEY", "<b64:48>"),
        ("monkeylearn-key", "MONKEYLEARN_KEY", "<hex:40>"),
        ("nlpcloud-token", "NLPCLOUD_TOKEN", "<hex:40>"),
        ("ollama-key", "OLLAMA_API_KEY", "<hex:32>.<alnum:24>"),
        ("retell-key", "RETELL_API_KEY", "key_<hex:28>"),
        ("wit-token", "WIT_AI_TOKEN", "<uppernum:32>"),
    )),
    *tokens("payments", (
        ("crossmint-key", "CROSSMINT_SERVER_KEY", "sk_production_<alnum:120>"),
        ("proof-key", "PROOF_API_KEY", "prf_<alnum:36>"),
        ("rainforest-key", "RAINFOREST_API_KEY", "apikey_<hex:64>"),
        ("rainforest-sandbox-key", "RAINFOREST_API_KEY", "sbx_apikey_<hex:64>"),
        ("robinhood-key", "ROBINHOOD_API_KEY", "rh-api-<uuid>"),
        ("woocommerce-consumer-secret", "WOO_CONSUMER_SECRET", "cs_<hex:40>"),
    )),
    *keyed("payments", (
        ("alpaca-secret", "ALPACA_SECRET_KEY", "<alnum:40>"),
        ("cexio-key", "CEXIO_KEY", "<alnum:25>"),
        ("coinapi-key", "COINAPI_KEY", "<HEX:8>-<HEX:4>-<HEX:4>-<HEX:4>-<HEX:12>"),
        ("column-key", "COLUMN_API_KEY", "live_<alnum:27>"),
        ("currencycloud-key", "CURRENCYCLOUD_KEY", "<hex:64>"),
        ("luno-secret", "LUNO_API_SECRET", "<alnum:43>"),
        ("oanda-token", "OANDA_TOKEN", "<hex:32>-<hex:32>"),
        ("poloniex-secret", "POLONIEX_SECRET", "<hex:128>"),
        ("purestake-key", "PURESTAKE_KEY", "<alnum:40>"),
        ("recharge-token", "RECHARGE_API_TOKEN", "sk_1x1_<hex:64>"),
    )),
    *tokens("hosting", (
        ("coderabbit-key", "CODERABBIT_API_KEY", "cr-<hex:58>"),
        ("guardsquare-key", "APPSWEEP_API_KEY", "gs_appsweep_<alnum:7>_<alnum:32>"),
        ("testkube-key", "TESTKUBE_API_KEY", "tkcapi_<hex:30>"),
    )),
    *keyed("hosting", (
        ("truenas-key", "TRUENAS_API_KEY", "8-<alnum:64>"),
    )),
    *tokens("services", (
        ("mintlify-key", "MINTLIFY_API_KEY", "mint_dsc_1<alnum:23>"),
        ("tolgee-token", "TOLGEE_API_KEY", "tgpak_<lower:20>4<lower:23>"),
        ("vk-token", "VK_TOKEN", "vk1.a.<b64url:180>x"),
    )),
    *keyed("services", (
        ("lacework-secret", "LACEWORK_API_SECRET", "_<hex:31>"),
    )),
    *tokens("models", (
        ("gamma-key", "GAMMA_API_KEY", "sk-gamma-<alnum:40>"),
        ("hack-club-key", "HACKCLUB_API_KEY", "sk-hc-v1-<hex:64>"),
    )),
    *keyed("models", (
        ("vast-key", "VAST_API_KEY", "<hex:64>"),
    )),
    *tokens("identity", (
        ("trend-micro-key", "TMC_API_KEY", "tmc1<alnum:29>:<alnum:65>"),
    )),
    *keyed("identity", (
        ("deep-security-key", "DEEPSECURITY_API_KEY", "<uuid:upper>:<uuid:upper>:<raw64:32>"),
    )),
    *in_context("identity", (
        ("machine-key", ('<machineKey validationKey="«<HEX:128>»" decryptionKey="«<HEX:48>»" validation="SHA1" />',)),
        ("group-policy-password", ('<Properties action="U" userName="admin" cpassword="«<raw64:64>»" />',)),
    )),
    *tokens("payments", (
        ("heartland-key", "HEARTLAND_API_KEY", "skapi_cert_<alnum:36>"),
    )),
]  # fmt: skip
