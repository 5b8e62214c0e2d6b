"""Keys of content, messages, monitoring and tools that fewer people use."""

from __future__ import annotations

from tests.secrets.kinds import in_context, keyed, tokens

GROUP = "services"
KINDS = [
    *tokens(GROUP, (
        ("builderio-key", "BUILDER_PRIVATE_KEY", "bpk-<hex:32>"),
        ("ionic-pat", "IONIC_TOKEN", "ion_<alnum:42>"),
        ("nylas-v3-key", "NYLAS_API_KEY", "nyk_<alnum:67>"),
        ("photoroom-key", "PHOTOROOM_API_KEY", "sk_pr_default_<hex:40>"),
        ("posthog-project-key", "POSTHOG_PROJECT_KEY", "phc_<alnum:43>"),
        ("redirect-pizza-token", "REDIRECT_PIZZA_TOKEN", "rpa_<alnum:29>x"),
        ("zuplo-consumer-key", "ZUPLO_CONSUMER_KEY", "zpka_<lowernum:32>_<hex:8>"),
    )),
    *keyed(GROUP, (
        ("anypoint-secret", "ANYPOINT_CLIENT_SECRET", "<HEX:32>"),
        ("appoptics-token", "APPOPTICS_TOKEN", "<alnum:71>"),
        ("artsy-secret", "ARTSY_CLIENT_SECRET", "<hex:32>"),
        ("bitbar-key", "BITBAR_KEY", "<alnum:32>"),
        ("blazemeter-token", "BLAZEMETER_TOKEN", "<uuid>"),
        ("buttercms-token", "BUTTERCMS_TOKEN", "<hex:40>"),
        ("captaindata-key", "CAPTAINDATA_KEY", "<hex:64>"),
        ("checkly-legacy-key", "CHECKLY_API_KEY", "<hex:32>"),
        ("detectify-key", "DETECTIFY_KEY", "<hex:32>"),
        ("elasticemail-key", "ELASTICEMAIL_KEY", "<HEX:96>"),
        ("faceplusplus-key", "FACEPLUSPLUS_KEY", "<alnum:32>"),
        ("gtmetrix-key", "GTMETRIX_KEY", "<hex:32>"),
        ("gyazo-token", "GYAZO_TOKEN", "<alnum:43>"),
        ("imagekit-key", "IMAGEKIT_KEY", "private_<alnum:27>="),
        ("imagga-secret", "IMAGGA_SECRET", "<hex:32>"),
        ("integromat-key", "INTEGROMAT_KEY", "<uuid>"),
        ("keen-key", "KEENIO_KEY", "<HEX:64>"),
        ("magicbell-secret", "MAGICBELL_SECRET", "<alnum:40>"),
        ("mailmodo-key", "MAILMODO_KEY", "<uppernum:7>-<uppernum:7>-<uppernum:7>-<uppernum:7>"),
        ("mailsac-key", "MAILSAC_KEY", "k_<alnum:40>"),
        ("mesibo-token", "MESIBO_TOKEN", "<lowernum:64>"),
        ("moosend-key", "MOOSEND_KEY", "<uuid>"),
        ("mux-secret", "MUX_TOKEN_SECRET", "<alnum:75>"),
        ("parseur-key", "PARSEUR_KEY", "<hex:40>"),
        ("pastebin-key", "PASTEBIN_KEY", "<alnum:32>"),
        ("pdfshift-key", "PDFSHIFT_KEY", "sk_<hex:40>"),
        ("pepipost-key", "PEPIPOST_KEY", "<hex:32>"),
        ("pinata-secret", "PINATA_SECRET_API_KEY", "<hex:64>"),
        ("pipedream-key", "PIPEDREAM_KEY", "<hex:32>"),
        ("rebrandly-key", "REBRANDLY_KEY", "<hex:32>"),
        ("shotstack-key", "SHOTSTACK_KEY", "<alnum:40>"),
        ("shutterstock-secret", "SHUTTERSTOCK_SECRET", "<alnum:16>"),
        ("signalwire-token", "SIGNALWIRE_TOKEN", "PT<hex:48>"),
        ("sirv-secret", "SIRV_CLIENT_SECRET", "<b64:86>=="),
        ("siteleaf-secret", "SITELEAF_SECRET", "<hex:32>"),
        ("sslmate-key", "SSLMATE_KEY", "<alnum:36>"),
        ("statuscake-key", "STATUSCAKE_KEY", "<alnum:20>"),
        ("statuspal-key", "STATUSPAL_KEY", "<alnum:32>"),
        ("testingbot-secret", "TESTINGBOT_SECRET", "<hex:32>"),
        ("textmagic-key", "TEXTMAGIC_KEY", "<alnum:30>"),
        ("thousandeyes-token", "THOUSANDEYES_TOKEN", "<lowernum:32>"),
        ("twist-token", "TWIST_API_TOKEN", "<hex:40>"),
        ("wistia-token", "WISTIA_TOKEN", "<hex:64>"),
    )),
    *in_context(GROUP, (
        ("gc-notify-key", (
            "Authorization: ApiKey-v1 gcntfy-my_key-«<uuid>-<uuid>»",
            "NOTIFY_API_KEY=gcntfy-my_key-«<uuid>-<uuid>»",
        )),
    )),
]  # fmt: skip
