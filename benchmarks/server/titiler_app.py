"""titiler's point endpoint for one raster, as in its own application."""

from fastapi import FastAPI
from titiler.core.factory import TilerFactory

app = FastAPI()
app.include_router(TilerFactory(router_prefix="/cog").router, prefix="/cog")


@app.get("/health")
def health():
    return {"status": "up"}
