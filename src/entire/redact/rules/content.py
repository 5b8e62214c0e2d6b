"""Content, design, files, pictures and games."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from entire.redact.rules.pieces import Row

# fmt: off
ROWS: tuple[Row, ...] = (
    ("adobe-client-secret", (b"p8e-",), rb"%bp8[a-z]-[A-Za-z0-9_-]{32}(?![\w-])", 3,
     "Adobe: client secrets; gitleaks", "p8e-<alnum:32>"),
    ("canva-secret", (b"cnvca",), rb"%bcnvca[A-Za-z0-9_-]{40,60}", 3, "Canva: client secrets of the Connect API",
     "cnvca<b64url:50>"),
    ("cfx-key", (b"cfxk_",), rb"%bcfxk_[A-Za-z0-9]{18,40}_[A-Za-z0-9]{4,8}%E", 3, "Cfx.re: server keys; GitHub",
     "cfxk_<alnum:20>_<alnum:6>"),
    ("contentful-token", (b"cfpat-",), rb"%BCFPAT-[A-Za-z0-9_-]{40,50}", 3,
     "Contentful: personal access tokens; trufflehog", "CFPAT-<b64url:43>"),
    ("dropbox-token", (b"sl.",), rb"%bsl\.(?:u\.)?[A-Za-z0-9_=-]{130,2000}", 3,
     "Dropbox: short-lived access tokens; gitleaks", "sl.<b64url:135>"),
    ("figma-token", (b"figd_", b"figo_", b"figu_"), rb"%Bfig[dou]h?_[\w-]{38,60}", 3,
     "Figma: personal and OAuth tokens; trufflehog", "<figd|figo|figu>_<b64url:40>"),
    ("frameio-token", (b"fio-u-",), rb"%bfio-u-[A-Za-z0-9_=-]{60,70}", 3, "Frame.io: developer tokens; gitleaks",
     "fio-u-<b64url:64>"),
    ("ghost-admin-key", (b"ghost",), rb"(?i:ghost)%N(?P<s>[0-9a-f]{24}:[0-9a-f]{64})%E", 2.5,
     "Ghost: admin keys; trufflehog", "GHOST_ADMIN_KEY=«<hex:24>:<hex:64>»"),
    ("lichess-token", (b"lip_", b"lio_"), rb"%bli[po]_[A-Za-z0-9]{20,40}%E", 3.3,
     "Lichess: personal and OAuth tokens; GitHub", "<lip|lio>_<alnum:20>"),
    ("riot-key", (b"rgapi-",), rb"%BRGAPI-%U", 0, "Riot Games: API keys; trufflehog",
     "RGAPI-<hex:8>-<hex:4>-<hex:4>-<hex:4>-<hex:12>"),
    ("sanity-token", (b"sanity",), rb"(?i:sanity)%N(?P<s>sk[A-Za-z0-9]{78,200})%E", 3.2,
     "Sanity: API tokens; trufflehog", "SANITY_TOKEN=«sk<alnum:120>»"),
    ("strapi-token", (b"strapi",), rb"(?i:strapi)%N(?P<s>[0-9a-f]{256})%E", 2.5, "Strapi: API tokens",
     "STRAPI_API_TOKEN=«<hex:256>»"),
    ("thunderstore-token", (b"tss_",), rb"%btss_[A-Za-z0-9]{34,36}%E", 3, "Thunderstore: API tokens; GitHub",
     "tss_<alnum:34>"),
    ("uploadcare-key", (b"uploadcare",), rb"(?i:uploadcare)%N(?P<s>[0-9a-f]{20})%E", 2.5,
     "Uploadcare: secret keys; trufflehog", "UPLOADCARE_SECRET_KEY=«<hex:20>»"),
)
KEYED: tuple[Row, ...] = (
    ("bannerbear-key", (b"bannerbear",), rb"bb_(?:pr|ma)_[0-9a-f]{30}|[A-Za-z0-9]{24}", 2.5,
     "Bannerbear: API keys; trufflehog", "BANNERBEAR_API_KEY=«bb_pr_<hex:30>»"),
    ("box-secret",
     (b"box_client", b"box_developer", b"box_access", b"box-client", b"boxclient", b"boxapp", b"boxsdk"),
     rb"[A-Za-z0-9]{32}", 3, "Box: client secrets and developer tokens; kingfisher",
     "<BOX_CLIENT_SECRET=|BOX_DEVELOPER_TOKEN=|BOX_ACCESS_TOKEN=|box-client-secret=|boxClientSecret="
     "|boxAppSecret=|boxsdkSecret=>«<alnum:32>»"),
    ("cloudinary-secret", (b"cloudinary",), rb"[A-Za-z0-9_-]{27}", 3.2, "Cloudinary: API secrets; kingfisher",
     "CLOUDINARY_API_SECRET=«<alnum:27>»"),
    ("contentful-delivery-token", (b"contentful",), rb"[A-Za-z0-9_-]{43}", 3.2,
     "Contentful: delivery tokens; gitleaks", "CONTENTFUL_ACCESS_TOKEN=«<alnum:43>»"),
    ("datocms-token", (b"datocms",), rb"[0-9a-f]{30}", 2.5, "DatoCMS: API tokens", "DATOCMS_API_TOKEN=«<hex:30>»"),
    ("dropbox-secret", (b"dropbox",), rb"[a-z0-9]{15}|[A-Za-z0-9]{11}A{10}[A-Za-z0-9_=-]{43}", 2.5,
     "Dropbox: app secrets and long-lived tokens; gitleaks", "DROPBOX_APP_SECRET=«<lowernum:15>»"),
    ("giphy-key", (b"giphy",), rb"[A-Za-z0-9]{32}", 3.2, "Giphy: API keys; trufflehog", "GIPHY_API_KEY=«<alnum:32>»"),
    ("imgur-secret", (b"imgur",), rb"[0-9a-f]{40}", 2.5, "Imgur: client secrets", "IMGUR_CLIENT_SECRET=«<hex:40>»"),
    ("pexels-key", (b"pexels",), rb"[A-Za-z0-9]{56}", 3.2, "Pexels: API keys; trufflehog",
     "PEXELS_API_KEY=«<alnum:56>»"),
    ("squarespace-key", (b"squarespace",), rb"%U", 2.5, "Squarespace: API keys; gitleaks",
     "SQUARESPACE_API_KEY=«<hex:8>-<hex:4>-<hex:4>-<hex:4>-<hex:12>»"),
    ("storyblok-token", (b"storyblok",), rb"[A-Za-z0-9]{22}t{2}|[A-Za-z0-9-]{24,64}", 3,
     "Storyblok: access tokens; trufflehog", "STORYBLOK_TOKEN=«<alnum:22>tt»"),
    ("unsplash-key", (b"unsplash",), rb"[A-Za-z0-9_-]{43}", 3.2, "Unsplash: access and secret keys; trufflehog",
     "UNSPLASH_ACCESS_KEY=«<alnum:43>»"),
    ("webflow-token", (b"webflow",), rb"[0-9a-f]{64}", 2.5, "Webflow: API tokens; trufflehog",
     "WEBFLOW_API_TOKEN=«<hex:64>»"),
)
# fmt: on

BACK: dict[str, int] = {}
