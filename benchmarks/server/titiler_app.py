"""titiler's points of one raster, as its own application serves them."""

from fastapi import FastAPI
from titiler.core.factory import TilerFactory

app = FastAPI()
app.include_router(TilerFactory(router_prefix="/cog").router, prefix="/cog")


@app.get("/health")
def health():
    return {"status": "up"}
